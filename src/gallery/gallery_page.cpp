#include "gallery/gallery_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gallery_assets.hpp"
#include "mesh/files/xml_text.hpp"

namespace livens {
namespace {

std::string id_of(const std::string& text) {
  std::string id;
  for (const char c : text)
    id += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : '-';
  return id;
}

std::string list_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::string html = "<ul>";
  for (const std::string& text : texts) html += "<li>" + escaped(text) + "</li>";
  return html + "</ul>";
}

std::string card_html(const GalleryCard& card) {
  std::string html = fmt::format("<article id=\"{}\"><figure>", escaped(card.name));
  if (!card.picture.empty())
    html += fmt::format("<img src=\"{}\" alt=\"{}\" loading=\"lazy\"{}>", escaped(card.picture), escaped(card.title),
                        card.width > 0 ? fmt::format(" width=\"{}\" height=\"{}\"", card.width, card.height) : "");
  html += "</figure><div class=\"text\"><h3>" + escaped(card.title) + "</h3><p>" + escaped(card.shows) + "</p>";
  html += list_of(card.numbers);
  html += list_of(card.findings);
  if (card.verdict == "kept" || card.verdict == "broken")
    html += fmt::format("<p class=\"{}\">{}</p>", card.verdict,
                        card.verdict == "kept" ? "Verdict: kept." : "Verdict: broken.");
  if (!card.note.empty()) html += "<p class=\"note\">" + escaped(card.note) + "</p>";
  html += "<pre><code>" + escaped(card.command) + "</code></pre><p class=\"links\">";
  for (const auto& [text, address] : card.links)
    html += fmt::format("<a href=\"{}\">{}</a> ", escaped(address), escaped(text));
  html += fmt::format("<span>{:.3g} s</span></p></div></article>\n", card.seconds);
  return html;
}

}  // namespace

std::string gallery_page(const std::string& title, const std::string& intro, const std::vector<GalleryCard>& cards) {
  std::vector<std::string> groups;
  for (const GalleryCard& card : cards)
    if (std::find(groups.begin(), groups.end(), card.group) == groups.end()) groups.push_back(card.group);
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"livens "
      "gallery\">"
      // No scripts at all; pictures stand beside the page, which may be opened from the disk.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "'self' file: data:; base-uri 'none'; form-action 'none'\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
      escaped(title) + "</title>\n<style>\n" + std::string(gallery_assets::gallery_css()) +
      "</style></head>\n<body><header><h1>" + escaped(title) + "</h1><p>" + escaped(intro) + "</p><nav>";
  for (const std::string& group : groups) html += fmt::format("<a href=\"#{}\">{}</a>", id_of(group), escaped(group));
  html += "</nav></header><main>\n";
  for (const std::string& group : groups) {
    html += fmt::format("<section id=\"{}\"><h2>{}</h2><div class=\"cards\">\n", id_of(group), escaped(group));
    for (const GalleryCard& card : cards)
      if (card.group == group) html += card_html(card);
    html += "</div></section>\n";
  }
  return html + "</main></body></html>\n";
}

}  // namespace livens
