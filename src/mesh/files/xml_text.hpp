// Text within XML, HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace livens {

std::string escaped(std::string_view text);  // control characters, which XML has none of, are replaced

}  // namespace livens
