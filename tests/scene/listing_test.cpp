#include "scene/listing.hpp"

#include <gtest/gtest.h>

#include "scene/kinds.hpp"
#include "scene/sections.hpp"

namespace livens {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Listing, TextHasEveryRecordWithItsKeys) {
  for (const char* section : {"integrators", "systems", "bodies", "forces", "output"}) {
    const std::string text = records_text(section);
    for (const Record* record : records_of(listed_section(section))) {
      EXPECT_TRUE(contains(text, record->name + ": " + record->brief)) << section;
      for (const Parameter& p : record->parameters) EXPECT_TRUE(contains(text, "    " + p.key)) << p.key;
    }
  }
}

TEST(Listing, JsonHasTheClaimsOfIntegrators) {
  const std::string json = records_json("integrators");
  EXPECT_TRUE(contains(json, "\"name\": \"stormer_verlet\""));
  EXPECT_TRUE(contains(json, "\"separable\": {"));
  EXPECT_TRUE(contains(json, "\"unit\": \"s\""));
  EXPECT_FALSE(contains(records_json("force"), "\"claims\""));
}

TEST(Listing, UnknownSectionsGetASuggestion) {
  try {
    records_text("integratros");
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "there is no list of 'integratros'. Did you mean 'integrators'?");
  }
}

TEST(Listing, KeyReferenceHasEverySectionAndKind) {
  const std::string text = key_reference_markdown();
  for (const Section& section : sections()) EXPECT_TRUE(contains(text, "`" + section.header() + "`")) << section.name;
  for (const Record* record : records_of("integrator")) EXPECT_TRUE(contains(text, "#### `" + record->name + "`"));
  EXPECT_TRUE(contains(text, "| `time.end` | number | s | required |"));
}

TEST(Sections, DefaultsOfRecordsCanBeRead) {
  for (const char* section : {"integrator", "system", "body", "force", "output", "layout"})
    for (const Record* record : records_of(section)) EXPECT_NO_THROW(default_settings(*record)) << record->name;
}

}  // namespace
}  // namespace livens
