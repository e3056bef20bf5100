#include "view/page.hpp"

#include "viewer_assets.hpp"

namespace livens {

std::string_view viewer_page() { return viewer_assets::livens_viewer_html(); }

}  // namespace livens
