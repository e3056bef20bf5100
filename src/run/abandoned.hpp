// A run that cannot write its files any more: on a full disk, or because they were taken away.
#pragma once

#include <filesystem>
#include <string>

namespace livens {

// Makes summary.json say so, even where there is no room for a new one, and returns what the user should read: the
// reason, the files that are missing, and how to go on.
std::string abandon_run(const std::filesystem::path& directory, const std::string& why, const std::string& resume);

}  // namespace livens
