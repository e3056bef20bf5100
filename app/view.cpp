// livens view: finished runs, or a scene that runs live, in a browser.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include <livens/run.hpp>

#include "run/finished_run.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"
#include "view/http_server.hpp"
#include "view/live_session.hpp"
#include "view/recording_view.hpp"
#include "view/view_service.hpp"

namespace livens::app {
namespace {

// Port 0 is a free one.
int port_of(const Arguments& arguments) {
  constexpr int largest = 65535;
  if (arguments.text("--port") == "0") return 0;
  const int port = arguments.positive("--port", 0);
  if (port > largest) throw UsageError(fmt::format("--port {}: expected a whole number up to {}", port, largest));
  return port;
}

class Viewing {
 public:
  Viewing(ViewSource& source, const Arguments& arguments)
      : service_(source, random_key()),
        server_([this](const HttpRequest& request,
                       std::chrono::milliseconds waited) { return service_.answer(request, waited); },
                {.port = port_of(arguments)}) {}

  void wake() { server_.wake(); }

  void until_stopped(const std::string& shown) {
    fmt::print(
        "livens view {0}: http://127.0.0.1:{1}/?key={2}   From another machine first: ssh -L {1}:127.0.0.1:{1} HOST\n",
        shown, server_.port(), service_.key());
    std::fflush(stdout);
    while (!stop_asked()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  long served() const { return server_.served(); }

 private:
  ViewService service_;
  HttpServer server_;
};

constexpr std::size_t most_of_study = 12;  // runs side by side

// A study means the runs that it has kept.
std::vector<std::string> runs_in(const std::vector<std::string>& paths) {
  std::vector<std::string> runs;
  for (const std::string& path : paths) {
    auto kept = runs_of_study(path);
    if (!kept) {
      runs.push_back(path);
      continue;
    }
    if (kept->size() > most_of_study) {
      std::fprintf(stderr, "note      %s: the first %zu of %zu runs are shown; name others by their directories\n",
                   path.c_str(), most_of_study, kept->size());
      kept->resize(most_of_study);
    }
    runs.insert(runs.end(), kept->begin(), kept->end());
  }
  return runs;
}

void view_runs(const std::vector<std::string>& given, const Arguments& arguments) {
  if (arguments.has("--set")) throw UsageError("--set changes scenes, and these are finished runs");
  const std::vector<std::string> paths = runs_in(given);
  RecordedRuns runs(paths);
  for (const std::string& warning : runs.warnings()) std::fprintf(stderr, "warning   %s\n", warning.c_str());
  Viewing viewing(runs, arguments);
  viewing.until_stopped(fmt::format("{}", fmt::join(paths, " ")));
  fmt::print("\nended     {} requests were answered\n", viewing.served());
}

void view_scene(const std::string& path, const Arguments& arguments) {
  LiveSession session(load_with_changes(path, arguments), {.threads = threads_of(arguments), .waits = true});
  {
    Viewing viewing(session, arguments);
    session.on_news([&] { viewing.wake(); });
    viewing.until_stopped(path);
    session.on_news({});
  }
  const auto last = session.simulation().board().snapshot();
  fmt::print("\nended     at t = {:.6g} s, after {} steps; nothing was written. To keep a run: livens run {}\n",
             last->state.t, last->steps, path);
}

bool is_scene(const std::string& path) {
  return std::filesystem::is_regular_file(path) && std::filesystem::path(path).filename() != "summary.json";
}

int view(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.list("RUN");
  const auto scenes = std::count_if(paths.begin(), paths.end(), is_scene);
  if (scenes > 0 && paths.size() > 1) throw UsageError("livens view takes one scene, or any number of finished runs");
  stop_on_signals();
  if (scenes > 0)
    view_scene(paths.front(), arguments);
  else
    view_runs(paths, arguments);
  return done;
}

}  // namespace

Command view_command() {
  return {"view",
          "Show finished runs in a browser, or run a scene live",
          "Examples:\n"
          "  livens view runs/bunny                        plays it; the address to open is printed\n"
          "  livens view runs/bar runs/bar-2               side by side\n"
          "  livens view runs/STUDY                        the runs of a study that was made with --keep-runs\n"
          "  livens view pendulum.toml                     runs the scene live: watch it, pull at it, change it\n"
          "  livens view bar.toml --set integrator.step=0.001 --port 8080\n"
          "The server listens on this machine only, and the address contains a key. Ctrl-C ends the server.",
          {{"RUN", "", "directories of runs or studies, or one scene file", true, true},
           set_option(),
           threads_option("number of threads of a live scene"),
           force_option(),
           {"--port", "N", "port; default: a free one", false, false}},
          view};
}

}  // namespace livens::app
