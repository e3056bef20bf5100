// A command of the program, as plain data: its words on the command line, its help and what it does.
// To add one: a file with its Command, its declaration below, and its line in the table of main.cpp.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace livens::app {

struct Option {
  std::string name;   // "--out", or "SCENE" for a word without dashes
  std::string value;  // placeholder of the value in the help; "" for a flag
  std::string brief;
  bool required = false;
  bool many = false;  // may be given several times
};

// What the user gave.
class Arguments {
 public:
  std::map<std::string, std::vector<std::string>> values;  // by the name of the option; flags have no values

  bool has(const std::string& name) const { return values.count(name) != 0; }
  std::string text(const std::string& name) const;
  const std::vector<std::string>& list(const std::string& name) const;
  int positive(const std::string& name, int fallback) const;  // throws UsageError
};

// A command line that cannot be understood.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum ExitCode { done = 0, bad_input = 2, numerical_failure = 3, interrupted = 130 };

struct Command {
  std::string name, brief;
  std::string examples;  // shown below the options
  std::vector<Option> options;
  int (*run)(const Arguments& arguments) = nullptr;
};

Command run_command();
Command check_command();
Command mesh_command();
Command list_command();
Command study_command();
Command laws_command();
Command adapt_command();
Command modes_command();
Command path_command();
Command gallery_command();
Command view_command();
Command export_command();
Command compare_command();

}  // namespace livens::app
