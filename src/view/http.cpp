#include "view/http.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace livens {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> find_in(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs)
    if (key == name) return value;
  return std::nullopt;
}

HttpParse refused(int status, std::string reason) {
  HttpParse parse;
  parse.state = HttpParse::State::refused;
  parse.status = status;
  parse.reason = std::move(reason);
  return parse;
}

bool is_token_sign(char c) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         others.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_sign); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// %41 -> A; nothing if it is malformed or encodes a character that none of our names has.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    char c = text[k];
    if (c == '%') {
      if (k + 2 >= text.size() || hex_digit(text[k + 1]) < 0 || hex_digit(text[k + 2]) < 0) return std::nullopt;
      c = static_cast<char>(16 * hex_digit(text[k + 1]) + hex_digit(text[k + 2]));
      k += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    result += c;
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool read_query(std::string_view text, Pairs& query) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const auto key = decoded(pair.substr(0, equals));
    const auto value = decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!key || !value) return false;
    query.emplace_back(*key, *value);
  }
  return true;
}

// METHOD /path?query HTTP/1.1
bool read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (!is_token(method) || target.empty() || target[0] != '/') return false;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  const std::size_t question = target.find('?');
  const auto path = decoded(target.substr(0, question));
  if (!path) return false;
  request.method = method;
  request.path = *path;
  request.keep_alive = version == "HTTP/1.1";
  return question == std::string_view::npos || read_query(target.substr(question + 1), request.query);
}

bool read_header(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  const std::string_view value = trimmed(line.substr(colon + 1));
  for (const char c : value)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return false;
  request.headers.emplace_back(lower(line.substr(0, colon)), value);
  return true;
}

long count_of(const HttpRequest& request, std::string_view name) {
  return std::count_if(request.headers.begin(), request.headers.end(), [&](const auto& h) { return h.first == name; });
}

// Bytes of the body; negative if the headers do not say it in one way.
long body_length(const HttpRequest& request) {
  if (count_of(request, "content-length") > 1) return -1;
  const auto text = request.header("content-length");
  if (!text) return 0;
  if (text->empty() || !std::all_of(text->begin(), text->end(), [](char c) { return c >= '0' && c <= '9'; })) return -1;
  long length = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), length);
  return parsed.ec == std::errc() ? length : static_cast<long>(HttpLimits::body) + 1;
}

const char* phrase_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 429: return "Too Many Requests";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

}  // namespace

std::optional<std::string> HttpRequest::parameter(std::string_view name) const { return find_in(query, name); }
std::optional<std::string> HttpRequest::header(std::string_view name) const { return find_in(headers, name); }

HttpReply error_reply(int status, const std::string& text) {
  const nlohmann::json body = {{"error", text}};
  return {status, "application/json", body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), false};
}

HttpParse parse_request(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, HttpLimits::head).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= HttpLimits::head) return refused(413, "the head of the request is too long");
    return {};
  }
  HttpParse parse;
  HttpRequest& request = parse.request;
  std::string_view head = bytes.substr(0, end);
  for (bool first = true; !head.empty() || first; first = false) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    if (first ? !read_request_line(line, request) : !read_header(line, request))
      return refused(400, first ? "not a request line of HTTP/1.1" : "a header is broken");
    if (request.headers.size() > HttpLimits::headers) return refused(413, "too many headers");
  }
  if (request.header("transfer-encoding")) return refused(400, "bodies need a Content-Length");
  const long length = body_length(request);
  if (length < 0) return refused(400, "the Content-Length is broken");
  if (length > static_cast<long>(HttpLimits::body)) return refused(413, "the body is larger than 4 KB");
  parse.used = end + 4 + static_cast<std::size_t>(length);
  if (bytes.size() < parse.used) return {};
  request.body = bytes.substr(end + 4, length);
  if (const auto connection = request.header("connection")) {
    const std::string word = lower(*connection);
    if (word.find("close") != std::string::npos) request.keep_alive = false;
    if (word.find("keep-alive") != std::string::npos) request.keep_alive = true;
  }
  parse.state = HttpParse::State::complete;
  return parse;
}

// Nothing of ours is to be stored, framed, guessed at or fetched from elsewhere.
std::string reply_head(const HttpReply& reply, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, phrase_of(reply.status));
  if (reply.status != 204)
    head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", reply.type, reply.body.size());
  head +=
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'self' 'unsafe-inline' data: blob:; frame-ancestors 'none'\r\n";
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace livens
