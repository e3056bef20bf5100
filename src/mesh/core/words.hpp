// Numbers and counts in the messages of meshes, and files written as a whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace livens {

std::string grouped(long number);                        // 20 112
std::string short_number(double value, int digits = 2);  // -3.2e-09
std::string quoted_excerpt(std::string_view text);       // 'abc', cut and with unprintable bytes as ?

// Written beside its place and moved there; false if that is impossible.
bool write_whole(const std::filesystem::path& path, std::string_view bytes);

}  // namespace livens
