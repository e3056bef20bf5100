// livens list: what there is to choose from, out of the records.
#include <cstdio>

#include <fmt/format.h>

#include "command.hpp"
#include "files/fields.hpp"
#include "math/expression.hpp"
#include "scene/listing.hpp"
#include "scene/sections.hpp"

namespace livens::app {
namespace {

std::string kinds_text() {
  return "livens list KIND prints all entries of a kind with their keys:\n"
         "  integrators  how the state is advanced in time, with the claims of each method\n"
         "  systems      mechanical systems in generalised coordinates\n"
         "  bodies       things with mass and position\n"
         "  layouts      how particles are placed at the start\n"
         "  meshes       reference shapes of solids\n"
         "  materials    what solids are made of\n"
         "  selections   ways to pick nodes\n"
         "  constraints  joints, rods, and nodes with given motion\n"
         "  forces       forces on bodies\n"
         "  contacts     rigid obstacles that bodies touch\n"
         "  probes       quantities that a [[probe]] records\n"
         "  outputs      files that a run writes\n"
         "  fields       fields for frames and vtu outputs\n"
         "  functions    functions and constants of expressions\n"
         "  sections     all sections of a scene with their keys, as Markdown\n";
}

std::string functions_text() {
  std::string text;
  for (const ExpressionWord& word : expression_words()) text += fmt::format("{:<16} {}\n", word.form, word.brief);
  return text +
         fmt::format("{:<16} {}\n", "+ - * / ^", "^ groups to the right and binds tighter than a sign: -x^2 = -(x^2)");
}

int list_kind(const Arguments& arguments) {
  const std::string kind = arguments.text("KIND");
  std::string text;
  if (kind.empty())
    text = kinds_text();
  else if (kind == "section" || kind == "sections")
    text = key_reference_markdown();
  else if (kind == "function" || kind == "functions")
    text = functions_text();
  else if (kind == "field" || kind == "fields")
    text = arguments.has("--json") ? fields_json() : fields_text();
  else
    text = arguments.has("--json") ? records_json(kind) : records_text(kind);
  std::fputs(text.c_str(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
  return done;
}

}  // namespace

Command list_command() {
  return {"list",
          "List what there is to choose from",
          "Examples:\n  livens list\n  livens list integrators\n  livens list forces --json",
          {{"KIND", "", "a kind, in the plural; `livens list` prints them", false, false},
           {"--json", "", "for programs", false, false}},
          list_kind};
}

}  // namespace livens::app
