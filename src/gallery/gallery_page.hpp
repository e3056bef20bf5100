// The gallery as one page of HTML; pictures are files beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace livens {

struct GalleryCard {
  std::string group, name, title, shows, note, command, verdict;
  std::vector<std::string> findings, numbers;
  std::string picture;  // file beside the page
  int width = 0, height = 0;
  std::vector<std::pair<std::string, std::string>> links;  // text, address
  double seconds = 0;                                      // to make it
};

// Texts are plain and are escaped.
std::string gallery_page(const std::string& title, const std::string& intro, const std::vector<GalleryCard>& cards);

}  // namespace livens
