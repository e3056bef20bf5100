// Requests to the viewer: as they come in pieces, and what the service answers to whole ones.
#include "view/http.hpp"

#include "fuzz/fuzz.hpp"

using namespace livens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view rest = fuzz::text_of(bytes, size);
  for (;;) {
    const HttpParse parse = parse_request(rest);
    if (parse.state != HttpParse::State::complete) break;
    fuzz::require(parse.used > 0 && parse.used <= rest.size());
    parse.request.parameter("key");
    parse.request.header("host");
    reply_head(error_reply(404, parse.request.path), parse.request.keep_alive);
    rest.remove_prefix(parse.used);
  }
  return 0;
}
