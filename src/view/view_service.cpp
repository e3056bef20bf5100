#include "view/view_service.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <sys/random.h>

#include <livens/run.hpp>

#include "view/page.hpp"

namespace livens {
namespace {

constexpr std::chrono::milliseconds longest_wait{2'000};  // for a live frame
constexpr const char* binary = "application/octet-stream";
constexpr const char* html = "text/html; charset=utf-8";
const std::string no_key = "the key is missing or wrong: use the whole address that livens view printed";

// In a time that does not tell how much of it is right.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) difference |= static_cast<unsigned>(a[k] ^ b[k]);
  return difference == 0;
}

// For a browser that asks for the page without its key: after a reload, the tab has it in its own storage (livens-key,
// viewer/src/source.js). The page itself comes with the key only.
constexpr const char* keyless_page =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Livens</title>"
    "<p>The key is missing or wrong: use the whole address that livens view printed.</p>"
    "<script>const key = sessionStorage.getItem('livens-key');"
    "if (key && !location.search) location.replace('/?key=' + encodeURIComponent(key));</script></html>\n";

// Names of this machine's own address, with any port: a tunnel may begin at another one. Other names are those of pages
// that had their name point here.
bool is_own_host(std::string host) {
  std::transform(host.begin(), host.end(), host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (host.rfind(name, 0) != 0) continue;
    const std::string_view port = std::string_view(host).substr(name.size());
    if (port.empty()) return true;
    return port.size() >= 2 && port.size() <= 6 && port[0] == ':' &&
           std::all_of(port.begin() + 1, port.end(), [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

// Why the request is refused; empty if it may be answered.
std::string refusal(const HttpRequest& request, const std::string& key) {
  const auto hosts = std::count_if(request.headers.begin(), request.headers.end(),
                                   [](const auto& header) { return header.first == "host"; });
  const auto host = request.header("host");
  if (hosts != 1 || !is_own_host(*host)) return "the Host of the request is not this machine";
  if (const auto origin = request.header("origin"); origin && *origin != "http://" + *host)
    return "the request comes from another page";
  if (const auto site = request.header("sec-fetch-site"); site && *site == "cross-site" && request.path != "/")
    return "the request comes from another page";
  auto given = request.header("x-livens-key");
  if (!given) given = request.parameter("key");
  if (!given || !same_secret(*given, key)) return no_key;
  return "";
}

std::optional<long> number_in(const std::string& text) {
  long value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<long> whole_number(const HttpRequest& request, const char* name, long least, long largest) {
  const auto text = request.parameter(name);
  if (!text) return std::nullopt;
  const auto value = number_in(*text);
  if (!value || *value < least || *value > largest)
    throw ViewError(400, fmt::format("{}: expected a whole number from {} to {}", name, least, largest));
  return value;
}

FrameRequest frame_request(const HttpRequest& request) {
  constexpr long far = 1'000'000'000;
  FrameRequest frame;
  frame.from = static_cast<int>(whole_number(request, "from", 0, far).value_or(0));
  frame.count = static_cast<int>(whole_number(request, "count", 1, 64).value_or(1));
  frame.field = request.parameter("field").value_or("");
  frame.arrows = request.parameter("arrows").value_or("");
  return frame;
}

HttpReply json_reply(std::string text) { return {200, "application/json", std::move(text), true}; }
HttpReply bytes_reply(std::string bytes) { return {200, binary, std::move(bytes), true}; }

// /api/runs/ID or /api/runs/ID/PART
HttpReply run_reply(ViewSource& source, const HttpRequest& request, const std::string& rest) {
  constexpr long far = 1'000'000'000;
  const std::size_t slash = rest.find('/');
  const auto id = number_in(rest.substr(0, slash));
  if (!id || *id < 0 || *id >= source.runs())
    throw ViewError(404,
                    fmt::format("there is no run '{}': they are 0 to {}", rest.substr(0, slash), source.runs() - 1));
  const auto run = static_cast<int>(*id);
  const std::string part = slash == std::string::npos ? "" : rest.substr(slash);
  if (part.empty()) return json_reply(source.description(run));
  if (part == "/mesh") return bytes_reply(source.mesh(run));
  if (part == "/frames") return bytes_reply(source.frames(run, frame_request(request)));
  if (part == "/history") return bytes_reply(source.history(run, whole_number(request, "after", -1, far)));
  throw ViewError(404, "a run has mesh, frames and history");
}

}  // namespace

std::string random_key() {
  std::array<unsigned char, 16> bits{};
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
    throw RunError("the system has no random numbers for the key of the address");
  std::string key;
  for (const unsigned char byte : bits) key += fmt::format("{:02x}", byte);
  return key;
}

std::optional<HttpReply> ViewService::answer(const HttpRequest& request, std::chrono::milliseconds waited) const {
  if (const std::string why = refusal(request, key_); !why.empty())
    return why == no_key && request.path == "/" ? HttpReply{403, html, keyless_page, false} : error_reply(403, why);
  std::optional<HttpReply> reply;
  try {
    reply = route(request, waited);
  } catch (const ViewError& error) {
    reply = error_reply(error.status(), error.what());
  } catch (const RunError& error) {  // of files that were changed or removed meanwhile
    reply = error_reply(503, error.what());
  }
  if (reply) reply->trusted = true;
  return reply;
}

std::optional<HttpReply> ViewService::route(const HttpRequest& request, std::chrono::milliseconds waited) const {
  constexpr long far = 9'000'000'000'000'000;
  const std::string& path = request.path;
  const bool posts = request.method == "POST";
  if (!posts && request.method != "GET" && request.method != "HEAD") throw ViewError(405, "GET, or POST for /api/live");
  if (posts != (posts && path == "/api/live")) throw ViewError(405, "only /api/live accepts POST");
  if (posts) {
    if (request.header("content-type").value_or("").rfind("application/json", 0) != 0)
      throw ViewError(400, "expected Content-Type: application/json");
    return json_reply(source_.command(request.body));
  }
  if (path == "/") return HttpReply{200, html, std::string(viewer_page()), true};
  if (path == "/api/session") return json_reply(source_.session());
  if (path == "/api/live") return json_reply(source_.live_state());
  if (path == "/api/live/frame") {
    auto frame = source_.live_frame(whole_number(request, "after", -1, far).value_or(-1), frame_request(request));
    if (frame) return bytes_reply(std::move(*frame));
    if (waited < longest_wait) return std::nullopt;
    return HttpReply{204, binary, "", true};
  }
  constexpr std::string_view runs = "/api/runs/";
  if (path.rfind(runs, 0) == 0) return run_reply(source_, request, path.substr(runs.size()));
  throw ViewError(404, "there is nothing here");
}

}  // namespace livens
