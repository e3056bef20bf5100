// The known word that a mistyped one most likely means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <livens/records.hpp>

namespace livens {

// Edits (insert, delete, replace, swap neighbours) that turn a into b.
int edit_distance(std::string_view a, std::string_view b);

// "" if no word is near: a third of the letters may differ.
std::string nearest(std::string_view word, std::span<const std::string> known);

// "a, b and c"
std::string listed(std::span<const std::string> words, const std::string& last = " and ");

}  // namespace livens
