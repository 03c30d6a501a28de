#include "core/base/media/cmake_script.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/base/visible_text.h"

namespace kernelscape::base {
namespace {

/** Between brackets that match, or that don't, CMake sees no end of an element. */
bool has_lone_bracket(std::string_view text) {
  int open = 0;
  for (const char c : text) {
    if (c == '[') ++open;
    if (c == ']' && --open < 0) return true;
  }
  return open != 0;
}

/** What an element of a list can hold. */
std::string element_text(std::string_view text) {
  const bool lone_bracket = has_lone_bracket(text);
  std::string element;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const char first = text.front();
    const bool lost = character.code == invalid_utf8 || is_unseen(character.code) ||
                      (lone_bracket && (first == '[' || first == ']')) || (first == '\\' && text.size() == 1);
    element += lost ? std::string_view("?") : text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return element;
}

}  // namespace

std::string CMakeScript::escaped(std::string_view text) {
  std::string argument = "\"";
  for (const char c : element_text(text)) {
    if (c == '"' || c == '\\' || c == '$' || c == ';') argument += '\\';
    argument += c;
  }
  return argument + "\"";
}

CMakeText CMakeScript::name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name,
      [](char c) {
        return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_';
      },
      '_');
  return CMakeText::of_safe(name.empty() ? "_" : std::move(name));
}

}  // namespace kernelscape::base
