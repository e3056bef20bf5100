// Bytes as text.
#pragma once

#include <string>
#include <string_view>

namespace livens {

std::string base64(std::string_view bytes);  // without line ends

}  // namespace livens
