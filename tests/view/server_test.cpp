// The viewer's server: who gets an answer, and that nobody can stop it from answering others.
#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/scratch.hpp"
#include "view/client.hpp"
#include "view/http_server.hpp"
#include "view/recording_view.hpp"
#include "view/view_service.hpp"

namespace livens {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

const std::string key = "0123456789abcdef0123456789abcdef";

// Says what it was asked for; run 1 is large.
class Parrot final : public ViewSource {
 public:
  static constexpr std::size_t large = std::size_t{20} << 20;
  std::string session() override { return "session"; }
  int runs() const override { return 2; }
  std::string description(int id) override { return fmt::format("description {}", id); }
  std::string mesh(int id) override { return std::string(id == 1 ? large : 4, 'm'); }
  std::string frames(int, const FrameRequest& request) override {
    return fmt::format("{} {} {} {}", request.from, request.count, request.field, request.arrows);
  }
  std::string history(int, std::optional<long> after) override { return fmt::format("{}", after.value_or(-7)); }
  std::string live_state() override { return "live"; }
  std::optional<std::string> live_frame(long after, const FrameRequest&) override {
    return seq > after ? std::optional(fmt::format("frame {}", seq.load())) : std::nullopt;
  }
  std::string command(const std::string& json) override { return json; }
  std::atomic<long> seq = 0;
};

struct Hall {
  explicit Hall(const HttpServerOptions& options = {}) : Hall(std::make_unique<Parrot>(), options) {}
  Hall(std::unique_ptr<ViewSource> shown, const HttpServerOptions& options)
      : source(std::move(shown)),
        service(*source, key),
        server([this](const HttpRequest& request, milliseconds waited) { return service.answer(request, waited); },
               options) {}

  std::string host() const { return fmt::format("127.0.0.1:{}", server.port()); }
  std::string request(const std::string& path, const std::string& more = "") const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nX-Livens-Key: {}\r\n{}\r\n", path, host(), key, more);
  }
  Answer raw(const std::string& bytes) const {
    Client client(server.port());
    client.send(bytes);
    return client.answer();
  }
  Answer get(const std::string& path, const std::string& more = "") const { return raw(request(path, more)); }
  int status_with(const std::string& headers) const {
    return raw("GET /api/session HTTP/1.1\r\n" + headers + "\r\n").status;
  }

  std::unique_ptr<ViewSource> source;
  ViewService service;
  HttpServer server;
};

HttpServerOptions impatient() {
  HttpServerOptions options;
  options.head_time = 300ms;
  options.write_time = 300ms;
  options.idle_time = 20s;
  return options;
}

TEST(ViewServer, AnswersWithTheKeyOnly) {
  const Hall hall;
  const std::string host = "Host: " + hall.host() + "\r\n";
  EXPECT_EQ(hall.status_with(host), 403);
  EXPECT_EQ(hall.status_with(host + "X-Livens-Key: \r\n"), 403);
  EXPECT_EQ(hall.status_with(host + "X-Livens-Key: " + key.substr(1) + "\r\n"), 403);
  EXPECT_EQ(hall.status_with(host + "X-Livens-Key: " + key + "0\r\n"), 403);
  EXPECT_EQ(hall.status_with(host + "X-Livens-Key: " + key.substr(1) + "0\r\n"), 403);
  EXPECT_EQ(hall.status_with(host + "X-Livens-Key: " + key + "\r\n"), 200);
  for (const char* path : {"/", "/api/session", "/api/live", "/api/runs/0", "/nowhere"})
    EXPECT_EQ(hall.raw(fmt::format("GET {} HTTP/1.1\r\n{}\r\n", path, host)).status, 403) << path;
  EXPECT_EQ(hall.raw(fmt::format("GET /?key={} HTTP/1.1\r\n{}\r\n", key, host)).status, 200);
  EXPECT_EQ(hall.raw(fmt::format("GET /api/session?key={}x HTTP/1.1\r\n{}\r\n", key, host)).status, 403);
  EXPECT_EQ(random_key().size(), 32u);
  EXPECT_NE(random_key(), random_key());
}

TEST(ViewServer, AnswersToItsOwnNamesAndPagesOnly) {
  const Hall hall;
  const std::string with_key = "X-Livens-Key: " + key + "\r\n";
  const auto status = [&](const std::string& headers) { return hall.status_with(with_key + headers); };
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "localhost:1", "LocalHost:65535", "[::1]:8080", "[::1]"})
    EXPECT_EQ(status(fmt::format("Host: {}\r\n", host)), 200) << host;
  for (const char* host : {"", "evil.com", "127.0.0.1.evil.com", "localhost.evil.com:80", "localhost:", "localhost:8a",
                           "localhost:123456", "[::2]:80", "[::1]x", "0.0.0.0", "127.0.0.2", "evil.com:127.0.0.1"})
    EXPECT_EQ(status(fmt::format("Host: {}\r\n", host)), 403) << host;
  EXPECT_EQ(status(""), 403);
  EXPECT_EQ(status("Host: localhost\r\nHost: localhost\r\n"), 403);
  EXPECT_EQ(status("Host: localhost:9\r\nOrigin: http://localhost:9\r\n"), 200);
  for (const char* origin : {"http://evil.com", "null", "http://localhost", "https://localhost:9", "http://127.0.0.1:9",
                             "http://localhost:9.evil.com", ""})
    EXPECT_EQ(status(fmt::format("Host: localhost:9\r\nOrigin: {}\r\n", origin)), 403) << origin;
  EXPECT_EQ(status("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status("Host: localhost\r\nSec-Fetch-Site: same-origin\r\n"), 200);
}

TEST(ViewServer, KnowsItsPathsAndNoFiles) {
  const Hall hall;
  EXPECT_EQ(hall.get("/api/session").body, "session");
  EXPECT_EQ(hall.get("/api/runs/1").body, "description 1");
  EXPECT_EQ(hall.get("/api/runs/0/mesh").body, "mmmm");
  EXPECT_EQ(hall.get("/api/runs/0/frames?from=3&count=64&field=von%20mises&arrows=v").body, "3 64 von mises v");
  EXPECT_EQ(hall.get("/api/runs/0/history?after=12").body, "12");
  EXPECT_EQ(hall.get("/api/runs/0/history").body, "-7");
  EXPECT_EQ(hall.get("/api/live").body, "live");
  for (const char* path :
       {"/../etc/passwd", "/api/runs/../../etc/passwd", "/api/runs/0/..%2f..%2fetc%2fpasswd", "/api/runs/0/mesh/",
        "//etc/passwd", "/api/runs/%2e%2e", "/api/runs/2", "/api/runs/-1", "/api/runs/0x", "/api/runs/",
        "/api/runs/99999999999999999999", "/summary.json", "/api/runs/0/frames.h5", "/index.html"})
    EXPECT_EQ(hall.get(path).status, 404) << path;
  for (const char* path : {"/api/runs/0/frames?count=65", "/api/runs/0/frames?count=0", "/api/runs/0/frames?from=-1",
                           "/api/runs/0/frames?from=1e3", "/api/runs/0/history?after=x", "/a%0ab", "/%zz", "/%4"})
    EXPECT_EQ(hall.get(path).status, 400) << path;
}

TEST(ViewServer, TakesCommandsAsJsonOnly) {
  const Hall hall;
  const auto post = [&](const std::string& path, const std::string& type, const std::string& body) {
    return hall.raw(fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nX-Livens-Key: {}\r\n{}Content-Length: {}\r\n\r\n{}",
                                path, hall.host(), key, type, body.size(), body));
  };
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(post("/api/live", json, "{\"command\": 1}").body, "{\"command\": 1}");
  EXPECT_EQ(post("/api/live", "", "{}").status, 400);
  EXPECT_EQ(post("/api/live", "Content-Type: text/plain\r\n", "{}").status, 400);  // what a foreign form could send
  EXPECT_EQ(post("/api/session", json, "{}").status, 405);
  EXPECT_EQ(post("/api/live", json, std::string(HttpLimits::body, 'x')).status, 200);
  EXPECT_EQ(post("/api/live", json, std::string(HttpLimits::body + 1, 'x')).status, 413);
  for (const char* method : {"DELETE", "PUT", "OPTIONS", "TRACE"})
    EXPECT_EQ(
        hall.raw(fmt::format("{} /api/live HTTP/1.1\r\nHost: {}\r\nX-Livens-Key: {}\r\n\r\n", method, hall.host(), key))
            .status,
        405)
        << method;
}

TEST(ViewServer, BoundsRequests) {
  const Hall hall;
  EXPECT_EQ(hall.get("/api/session", "Long: " + std::string(9000, 'x') + "\r\n").status, 413);
  EXPECT_EQ(hall.raw("GET /" + std::string(20000, 'x')).status, 413);
  std::string many;
  for (int k = 0; k < 100; ++k) many += "A: b\r\n";
  EXPECT_EQ(hall.get("/api/session", many).status, 413);
  EXPECT_EQ(hall.get("/api/session", "Transfer-Encoding: chunked\r\n").status, 400);
  EXPECT_EQ(hall.get("/api/session", "Content-Length: 99999999999999999999999\r\n").status, 413);
  for (const char* length : {"-1", "1x", "", "0x10", "1 2"})
    EXPECT_EQ(hall.get("/api/session", fmt::format("Content-Length: {}\r\n", length)).status, 400) << length;
  EXPECT_EQ(hall.get("/api/session", "Content-Length: 0\r\nContent-Length: 0\r\n").status, 400);
  for (const char* line :
       {"GET", "GET /", "GET / HTTP/2.0", "GET  HTTP/1.1", "G@T / HTTP/1.1", "GET http://x/ HTTP/1.1"})
    EXPECT_EQ(hall.raw(std::string(line) + "\r\n\r\n").status, 400) << line;
}

TEST(ViewServer, KeepsConnectionsOpen) {
  const Hall hall;
  Client client(hall.server.port());
  client.send(hall.request("/api/session") + hall.request("/api/runs/0") + hall.request("/nowhere"));
  EXPECT_EQ(client.answer().body, "session");
  EXPECT_EQ(client.answer().body, "description 0");
  EXPECT_EQ(client.answer().status, 404);
  client.send(fmt::format("HEAD /api/session HTTP/1.1\r\nHost: {}\r\nX-Livens-Key: {}\r\n\r\n", hall.host(), key));
  const Answer head = client.answer(false);
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.head.find("Content-Length: 7\r\n"), std::string::npos);
  client.send(hall.request("/api/session", "Connection: close\r\n"));
  EXPECT_EQ(client.answer().body, "session");
  EXPECT_TRUE(client.ends());
}

TEST(ViewServer, WaitsForFrames) {
  Hall hall;
  auto& parrot = static_cast<Parrot&>(*hall.source);
  std::vector<std::unique_ptr<Client>> clients;  // more than there are threads
  for (int k = 0; k < 10; ++k) {
    clients.push_back(std::make_unique<Client>(hall.server.port()));
    clients.back()->send(hall.request("/api/live/frame?after=0"));
  }
  EXPECT_FALSE(clients[0]->receive(200));
  EXPECT_EQ(hall.get("/api/session").status, 200);
  parrot.seq = 5;
  hall.server.wake();
  for (auto& client : clients) EXPECT_EQ(client->answer().body, "frame 5");
  EXPECT_EQ(hall.get("/api/live/frame?after=5").status, 204);  // after two seconds
}

TEST(ViewServer, EndsSlowRequests) {
  const Hall hall(impatient());
  Client silent(hall.server.port()), slow(hall.server.port());
  std::atomic<bool> refused = false;
  std::thread drip([&] {
    for (const char sign : hall.request("/api/session")) {
      if (!slow.send(std::string(1, sign))) break;
      std::this_thread::sleep_for(30ms);
    }
    refused = slow.ends();
  });
  for (int k = 0; k < 20; ++k) EXPECT_EQ(hall.get("/api/session").status, 200);
  drip.join();
  EXPECT_TRUE(refused);
  EXPECT_TRUE(slow.input.empty());
  EXPECT_TRUE(silent.ends());
}

TEST(ViewServer, StrangersDoNotCrowdFriendsOut) {
  HttpServerOptions options;
  options.strangers = 32;
  const Hall hall(options);
  Client known(hall.server.port());
  known.send(hall.request("/api/session"));
  EXPECT_EQ(known.answer().status, 200);
  std::vector<std::unique_ptr<Client>> crowd;
  for (int k = 0; k < 200; ++k) {
    crowd.push_back(std::make_unique<Client>(hall.server.port()));
    EXPECT_TRUE(crowd.back()->connected);
    if (k % 2 == 0) crowd.back()->send("GET / HTTP/1.1\r\nHo");
  }
  EXPECT_EQ(hall.get("/api/session").status, 200);  // a new one as well
  known.send(hall.request("/api/runs/0"));
  EXPECT_EQ(known.answer().body, "description 0");
  EXPECT_LE(hall.server.connections(), 64);
  // Friends have a limit, too.
  std::vector<std::unique_ptr<Client>> friends;
  for (int k = 0; k < 60; ++k) {
    friends.push_back(std::make_unique<Client>(hall.server.port()));
    friends.back()->send(hall.request("/api/session"));
    EXPECT_EQ(friends.back()->answer().status, 200);
  }
  EXPECT_LE(hall.server.connections(), 64);
}

// As many connections as a process can open, each silent: whoever has the key is heard nevertheless.
TEST(ViewServer, AFloodDoesNotKeepFriendsOut) {
  const Hall hall;
  std::atomic<bool> stop = false;
  std::atomic<long> opened = 0;
  std::thread flood([&] {
    std::deque<std::unique_ptr<Client>> crowd;
    while (!stop) {
      crowd.push_back(std::make_unique<Client>(hall.server.port()));
      if (crowd.size() > 200) crowd.pop_front();
      ++opened;
    }
  });
  while (opened < 2000) std::this_thread::sleep_for(1ms);
  int heard = 0;
  constexpr int friends = 50;
  for (int k = 0; k < friends; ++k) heard += hall.get("/api/session").status == 200 ? 1 : 0;
  stop = true;
  flood.join();
  EXPECT_EQ(heard, friends) << opened << " strangers";
  EXPECT_GT(opened, 2000);  // guard: more than there is room for
}

TEST(ViewServer, SurvivesClientsThatVanishOrDoNotRead) {
  HttpServerOptions options = impatient();
  options.pending = 2 * Parrot::large;
  const Hall hall(options);
  for (int k = 0; k < 50; ++k) {
    Client client(hall.server.port());
    client.send(hall.request("/api/runs/1/mesh"));
    if (k % 2 == 0) client.receive();
  }
  std::vector<std::unique_ptr<Client>> idle;  // they ask for a lot and read nothing
  for (int k = 0; k < 10; ++k) {
    idle.push_back(std::make_unique<Client>(hall.server.port()));
    idle.back()->send(hall.request("/api/runs/1/mesh"));
  }
  Client patient(hall.server.port());
  patient.send(hall.request("/api/runs/1/mesh"));
  EXPECT_EQ(patient.answer().body.size(), Parrot::large);
  EXPECT_EQ(hall.get("/api/session").status, 200);
}

TEST(ViewServer, EndsWhileClientsAreOpen) {
  auto hall = std::make_unique<Hall>();
  Client idle(hall->server.port()), waiting(hall->server.port()), reading(hall->server.port());
  waiting.send(hall->request("/api/live/frame?after=0"));
  reading.send(hall->request("/api/runs/1/mesh"));
  EXPECT_TRUE(reading.receive());
  hall.reset();
  EXPECT_TRUE(idle.ends());
  EXPECT_TRUE(waiting.ends());
}

TEST(ViewServer, RefusesATakenPort) {
  const Hall hall;
  HttpServerOptions options;
  options.port = hall.server.port();
  EXPECT_THROW(Hall(std::make_unique<Parrot>(), options), RunError);
}

// Bytes that a mistake or an attacker could send: valid requests with bytes changed, taken out, doubled or cut off.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::vector<std::string> pieces = {"\r\n\r\n", "%",
                                           "%00",      "../",
                                           "key=",     "Content-Length: 5\r\n",
                                           "\0",       "Host: localhost\r\n",
                                           "&&==",     "999999999999999999999",
                                           "-1",       "NaN"};
  for (std::size_t k = below(6); k > 0 && !text.empty(); --k) {
    const std::size_t at = below(text.size()), length = std::min<std::size_t>(below(12) + 1, text.size() - at);
    switch (below(5)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(at, pieces[below(pieces.size())]); break;
      default: text.resize(below(4) == 0 ? at : text.size());
    }
  }
  return text;
}

TEST(ViewServer, Survives10000RandomAndMutatedRequests) {
  const auto folder = scratch();
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "1",
                        "output = [{ kind = 'frames', every = 0.1, fields = ['velocity'] }]"),
           folder / "run");
  const Hall hall(std::make_unique<RecordedRuns>(std::vector<std::string>{(folder / "run").string()}),
                  HttpServerOptions{});
  const std::string live = "POST /api/live HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const std::vector<std::string> seeds = {
      hall.request("/api/session"),
      hall.request("/api/runs/0"),
      hall.request("/api/runs/0/mesh"),
      hall.request("/api/runs/0/frames?from=2&count=5&field=displacement&arrows=velocity"),
      hall.request("/api/runs/0/frames?from=9&count=64&field=velocity"),
      hall.request("/api/runs/0/history?after=3"),
      hall.request("/api/live/frame?after=-1&field=speed"),
      hall.request("/?key=" + key),
      live + "X-Livens-Key: " + key + "\r\nContent-Length: 20\r\n\r\n{\"command\": \"pause\"}"};
  std::mt19937 random(20061);
  long answered = 0, good = 0;
  for (int k = 0; k < 10'000; ++k) {
    std::string bytes;
    if (k % 5 == 0) {
      bytes.resize(std::uniform_int_distribution<std::size_t>(0, 300)(random));
      for (char& byte : bytes) byte = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
    } else {
      bytes = mutated(seeds[k % seeds.size()], random);
    }
    Client client(hall.server.port());
    ASSERT_TRUE(client.connected) << k;
    client.send(bytes);
    client.end_sending();
    ASSERT_TRUE(client.ends()) << k << ": " << bytes;
    if (client.input.empty()) continue;
    ASSERT_EQ(client.input.rfind("HTTP/1.1 ", 0), 0u) << k;
    ++answered;
    good += client.input.rfind("HTTP/1.1 200", 0) == 0 ? 1 : 0;
  }
  EXPECT_GT(answered, 3000);
  EXPECT_GT(good, 500);
  EXPECT_EQ(hall.get("/api/session").status, 200);
}

}  // namespace
}  // namespace livens
