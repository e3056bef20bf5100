// livens view: finished runs, or a scene that runs live, in a browser.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include <livens/run.hpp>

#include "scene_arguments.hpp"
#include "stopping.hpp"
#include "view/http_server.hpp"
#include "view/recording.hpp"
#include "view/view_service.hpp"

namespace livens::app {
namespace {

void serve(ViewSource& source, const std::string& shown, const Arguments& arguments,
           const std::vector<std::string>& warnings) {
  const ViewService service(source, random_key());
  HttpServerOptions options;
  options.port = arguments.positive("--port", 0);
  stop_on_signals();
  const HttpServer server(
      [&](const HttpRequest& request, std::chrono::milliseconds waited) { return service.answer(request, waited); },
      options);
  for (const std::string& warning : warnings) std::fprintf(stderr, "warning   %s\n", warning.c_str());
  fmt::print(
      "livens view {0}: http://127.0.0.1:{1}/?key={2}   From another machine first: ssh -L {1}:127.0.0.1:{1} HOST\n",
      shown, server.port(), service.key());
  std::fflush(stdout);
  while (!stop_asked()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  fmt::print("\nended     {} requests were answered\n", server.served());
}

int view(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.list("RUN");
  RecordedRuns runs(paths);
  serve(runs, fmt::format("{}", fmt::join(paths, " ")), arguments, runs.warnings());
  return done;
}

}  // namespace

Command view_command() {
  return {"view",
          "Show finished runs in a browser, or run a scene live",
          "Examples:\n"
          "  livens view runs/bunny                        plays it; the address to open is printed\n"
          "  livens view runs/bar runs/bar-2               side by side\n"
          "The address is of this machine only and carries a key. Ctrl-C ends the server.",
          {{"RUN", "", "run directories", true, true},
           {"--port", "N", "port of the address; a free one without", false, false}},
          view};
}

}  // namespace livens::app
