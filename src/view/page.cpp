// Stands in for the generated page, so that the server links and can be tried without it.
#include "view/page.hpp"

namespace livens {

__attribute__((weak)) std::string_view viewer_page() {
  return "<!doctype html><meta charset=\"utf-8\"><title>livens view</title>"
         "<p>This build of livens has no viewer's page. Its data are under <code>/api</code>.\n";
}

}  // namespace livens
