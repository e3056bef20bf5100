// What the docs take from the records is what the records say now.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "scene/listing.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

TEST(Docs, KeyReferenceIsUpToDate) {
  std::ifstream file(source_dir() + "/docs/keys.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, key_reference_markdown()) << "livens list sections > docs/keys.md";
}

}  // namespace
}  // namespace livens
