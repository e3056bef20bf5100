// The little of HTTP/1.1 that the viewer needs, free of sockets: requests out of bytes, replies into bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace livens {

struct HttpLimits {
  static constexpr std::size_t head = 8 * 1024;  // bytes of request line and headers
  static constexpr std::size_t headers = 64;
  static constexpr std::size_t body = 4 * 1024;
};

struct HttpRequest {
  std::string method, path;                                  // path: decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;    // decoded
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  bool keep_alive = true;

  std::optional<std::string> parameter(std::string_view name) const;
  std::optional<std::string> header(std::string_view name) const;  // given in lower case
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  bool trusted = false;  // whether the request had the key: its connection is then kept before others
};
HttpReply error_reply(int status, const std::string& text);

// What the bytes that have come so far are.
struct HttpParse {
  enum class State { incomplete, complete, refused };
  State state = State::incomplete;
  std::size_t used = 0;  // bytes of the complete request
  HttpRequest request;
  int status = 400;  // why it is refused
  std::string reason;
};
HttpParse parse_request(std::string_view bytes);

std::string reply_head(const HttpReply& reply, bool keep_alive);

}  // namespace livens
