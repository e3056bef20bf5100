// A user's program, built against the installed library only.
#include <iostream>
#include <livens/version.hpp>

int main() { std::cout << "livens " << livens::version() << '\n'; }
