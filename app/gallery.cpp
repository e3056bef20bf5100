// livens gallery: a static page with every published scene.
#include "gallery/gallery.hpp"

#include <cstdio>

#include "command.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

int gallery(const Arguments& arguments) {
  GalleryOptions options;
  if (arguments.has("--out")) options.out = arguments.text("--out");
  options.pages = arguments.has("--pages");
  options.only = arguments.list("--only");
  options.threads = threads_of(arguments);
  options.interrupted = stop_asked;
  const bool quiet = arguments.has("--quiet");
  if (!quiet)
    options.progress = [](const std::string& name, std::size_t done, std::size_t total) {
      std::fprintf(stderr, "%zu of %zu: %s\n", done + 1, total, name.c_str());
    };
  stop_on_signals();
  const GalleryResult result = make_gallery(arguments.text("LIST"), options);
  print_closing_lines(result.lines, result.exit_code, quiet);
  return result.exit_code;
}

}  // namespace

Command gallery_command() {
  return {"gallery",
          "Run a list of scenes and make a page of pictures, commands and key numbers",
          "Examples:\n"
          "  livens gallery docs/gallery.toml --out gallery      every published scene; open gallery/index.html\n"
          "  livens gallery docs/gallery.toml --only twisted_bar one of them\n",
          {{"LIST", "", "TOML file with the entries", true, false},
           {"--out", "DIR", "directory of the page (gallery)", false, false},
           {"--only", "NAME", "an entry; may be given several times", false, true},
           {"--pages", "", "also a page with animation and plots for every run, some megabytes each", false, false},
           threads_option("number of threads; the results do not depend on it"),
           force_option(),
           {"--quiet", "", "print nothing but errors", false, false}},
          gallery};
}

}  // namespace livens::app
