// A small web server on the loopback address. One thread waits for all sockets, so that clients that are slow, silent
// or gone cost a few kilobytes and no thread; a few others work out replies. Everything that a client can hold is
// bounded.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "view/http.hpp"

namespace livens {

struct HttpServerOptions {
  int port = 0;  // 0: a free one
  int threads = 4;
  // Connections without and with the key. Of strangers, the longest silent one gives way to a new one; there is room
  // for enough of them that one which sends its request at once is served first, even in a flood of others.
  int strangers = 512, friends = 32;
  long requests = 100'000;                       // on one connection
  std::chrono::milliseconds head_time{5'000};    // for a whole request
  std::chrono::milliseconds idle_time{60'000};   // between requests of a friend
  std::chrono::milliseconds write_time{15'000};  // without progress of a reply
  std::size_t pending = std::size_t{96} << 20;   // bytes of replies that wait for clients; more are not begun
};

class HttpServer {
 public:
  // Called by several threads. `waited`: how long this request has been asked for already; nothing means not yet: ask
  // again after wake(), or soon.
  using Handler = std::function<std::optional<HttpReply>(const HttpRequest& request, std::chrono::milliseconds waited)>;

  // Listens from here on; throws RunError if the port is taken.
  HttpServer(Handler handler, const HttpServerOptions& options = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // ends at once, whoever is connected

  int port() const;
  void wake();              // something happened that requests wait for
  int connections() const;  // open ones
  long served() const;      // replies so far

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace livens
