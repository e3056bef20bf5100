// What the docs take from the records is what the records say now.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <livens/registry.hpp>

#include "laws/contact_examples.hpp"
#include "scene/listing.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

std::string page(const std::string& name) {
  std::ifstream file(source_dir() + "/docs/" + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Docs, KeyReferenceIsUpToDate) {
  EXPECT_EQ(page("keys.md"), key_reference_markdown()) << "livens list sections > docs/keys.md";
}

// The numbers take minutes; that every method, variant and contact has its row is known at once.
TEST(Docs, ThePageOfLawsHasEveryMethodAndContact) {
  const std::string text = page("laws.md");
  std::size_t variants = 0, rows = 0;
  for (const IntegratorRecord& record : integrator_records())
    for (const std::string& variant : record.law_variants) {
      ++variants;
      EXPECT_NE(text.find("\n| " + record.name + " | " + variant + " |"), std::string::npos)
          << record.name << " " << variant << ": livens laws --markdown > docs/laws.md";
    }
  for (const laws::ContactExample& example : laws::contact_examples()) {
    ++variants;
    EXPECT_NE(text.find("\n| " + example.kind + " | " + example.name + " |"), std::string::npos)
        << example.kind << " " << example.name << ": livens laws --markdown > docs/laws.md";
  }
  for (std::size_t at = text.find("| holds ("); at != std::string::npos; at = text.find("| holds (", at + 1)) ++rows;
  EXPECT_EQ(rows, variants) << "a row too many, or a claim that does not hold";
}

}  // namespace
}  // namespace livens
