// The viewer's page: one text of HTML with its scripts and styles, made from viewer/ at build time.
#pragma once

#include <string_view>

namespace livens {

std::string_view viewer_page();

}  // namespace livens
