// The program `livens`: finds the command, reads its words, turns errors into texts and exit codes.
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <new>

#include <CLI/CLI.hpp>

#include <livens/run.hpp>
#include <livens/version.hpp>

#include "command.hpp"
#include "math/memory_budget.hpp"
#include "records/suggest.hpp"

namespace livens::app {
namespace {

std::vector<Command> commands() {
  return {run_command(),   view_command(),  compare_command(), export_command(),  study_command(),
          adapt_command(), modes_command(), path_command(),    gallery_command(), check_command(),
          mesh_command(),  list_command(),  laws_command()};
}

constexpr const char* description =
    "Livens simulates mechanical systems so that what mechanics conserves stays conserved.\n"
    "Exit codes: 0 done, 2 bad input, 3 numerical failure, 130 interrupted (--resume continues).";

// Where CLI11 puts what it reads.
struct Words {
  Arguments arguments;
  std::deque<std::pair<std::string, bool>> flags;
  std::deque<std::pair<std::string, std::vector<std::string>>> lists;

  void collect() {
    for (const auto& [name, given] : flags)
      if (given) arguments.values[name];
    for (const auto& [name, values] : lists)
      if (!values.empty()) arguments.values[name] = values;
  }
};

void add_option(CLI::App& app, const Option& option, Words& words) {
  if (option.value.empty() && option.name.rfind("--", 0) == 0) {
    words.flags.emplace_back(option.name, false);
    app.add_flag(option.name, words.flags.back().second, option.brief);
    return;
  }
  words.lists.emplace_back(option.name, std::vector<std::string>{});
  CLI::Option* added = app.add_option(option.name, words.lists.back().second, option.brief);
  added->type_name(option.value)->required(option.required);
  if (option.name.rfind("--", 0) == 0) added->expected(1);
  if (option.many)
    added->take_all();
  else
    added->expected(1);
  if (option.many && option.name.rfind("--", 0) != 0) added->expected(-1);
}

CLI::App* add_command(CLI::App& app, const Command& command, Words& words) {
  CLI::App* sub = app.add_subcommand(command.name, command.brief);
  sub->footer(command.examples);
  for (const Option& option : command.options) add_option(*sub, option, words);
  return sub;
}

// A first word that is no command.
void refuse_unknown_command(int argc, char** argv, const std::vector<Command>& all) {
  const std::string word = argc > 1 ? argv[1] : "";
  std::vector<std::string> names;
  for (const Command& command : all) names.push_back(command.name);
  if (word.empty() || word[0] == '-' || std::find(names.begin(), names.end(), word) != names.end()) return;
  throw UsageError("livens: unknown command '" + word + "'." + suggestion(word, names, "There are"));
}

int dispatch(int argc, char** argv) {
  CLI::App app(description, "livens");
  app.set_version_flag("--version", std::string(version()));
  app.require_subcommand(1);
  const std::vector<Command> all = commands();
  refuse_unknown_command(argc, argv, all);
  std::deque<Words> words(all.size());
  std::vector<CLI::App*> subs;
  for (std::size_t k = 0; k < all.size(); ++k) subs.push_back(add_command(app, all[k], words[k]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : bad_input;
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!subs[k]->parsed()) continue;
    words[k].collect();
    if (words[k].arguments.has("--force")) allow_any_size();
    return all[k].run(words[k].arguments);
  }
  return bad_input;
}

int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return bad_input;
}

// Errors of ours are written for users. Those of the standard library and of the JSON library speak of their own
// insides: a check of the contents of a file is missing.
std::string readable(const std::exception& error) {
  const std::string text = error.what();
  const bool is_ours = text.find("::") == std::string::npos && text.find("[json.") == std::string::npos;
  return is_ours ? text
                 : "livens: a file that this command reads is damaged in a way that livens does not know. Should all "
                   "of them "
                   "be in order, this is a fault of livens: please report it with the command and its files";
}

std::string readable(const std::filesystem::filesystem_error& error) {
  return "livens: '" + error.path1().string() + "': " + error.code().message();
}

}  // namespace

std::string Arguments::text(const std::string& name) const {
  const auto& values_given = list(name);
  return values_given.empty() ? "" : values_given.back();
}

const std::vector<std::string>& Arguments::list(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = values.find(name);
  return found == values.end() ? none : found->second;
}

int Arguments::positive(const std::string& name, int fallback) const {
  const std::string given = text(name);
  if (given.empty()) return fallback;
  int value = 0;
  const auto parsed = std::from_chars(given.data(), given.data() + given.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != given.data() + given.size() || value < 1)
    throw UsageError(name + " " + given + ": expected a whole number of at least 1");
  return value;
}

}  // namespace livens::app

int main(int argc, char** argv) {
  using namespace livens::app;
  // A file size limit or a reader that went away is an error of one write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return dispatch(argc, argv);
  } catch (const livens::SceneError& error) {
    return complain(error.what());
  } catch (const std::bad_alloc&) {
    return complain("livens: not enough memory for this scene. Take fewer elements or particles");
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(readable(error));
  } catch (const livens::RunError& error) {
    return complain(error.what());
  } catch (const std::exception& error) {
    return complain(readable(error));
  }
}
