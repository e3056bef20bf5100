#include "mesh/files/xml_text.hpp"

namespace livens {

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      result += "\uFFFD";
    else
      result += c;
  }
  return result;
}

}  // namespace livens
