#include "core/trial/session_notice.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace kernelscape {
namespace {

constexpr std::string_view digits = "0123456789";

/** A text taken apart: words, a number after all but the last of them. */
struct NumberedText {
  std::vector<std::string> words;
  std::vector<std::string> numbers;
};

NumberedText take_apart(std::string_view text) {
  NumberedText result;
  while (true) {
    const std::size_t begin = std::min(text.find_first_of(digits), text.size());
    result.words.emplace_back(text.substr(0, begin));
    if (begin == text.size()) return result;
    std::size_t end = std::min(text.find_first_not_of(digits, begin), text.size());
    const bool fraction = end + 1 < text.size() && text[end] == '.' && digits.contains(text[end + 1]);
    if (fraction) end = std::min(text.find_first_not_of(digits, end + 1), text.size());
    result.numbers.emplace_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

/** Texts that differ in their numbers alone. */
struct AlikeTexts {
  std::vector<std::string> words;
  std::vector<std::string> least;
  std::vector<std::string> greatest;
  std::int64_t times = 1;

  void add(const std::vector<std::string>& numbers) {
    ++times;
    const auto value = [](const std::string& number) { return std::strtod(number.c_str(), nullptr); };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (value(numbers[i]) < value(least[i])) least[i] = numbers[i];
      if (value(numbers[i]) > value(greatest[i])) greatest[i] = numbers[i];
    }
  }

  std::string text() const {
    std::string text = words.front();
    for (std::size_t i = 0; i < least.size(); ++i) {
      text += least[i];
      if (greatest[i] != least[i]) text += " to " + greatest[i];
      text += words[i + 1];
    }
    return text;
  }
};

}  // namespace

bool disturbs(const SessionNotice& notice) {
  return notice.kind == machine_notice || notice.kind == process_notice || notice.kind == problem_notice;
}

std::vector<std::string> disturbances(std::span<const SessionNotice> notices) {
  std::vector<std::string> texts;
  for (const SessionNotice& notice : notices)
    if (disturbs(notice)) texts.push_back(notice.text);
  return texts;
}

std::vector<RepeatedText> repeated_texts(std::span<const std::string> texts) {
  std::vector<AlikeTexts> groups;
  for (const std::string& text : texts) {
    NumberedText parts = take_apart(text);
    const auto known = std::ranges::find(groups, parts.words, &AlikeTexts::words);
    if (known != groups.end())
      known->add(parts.numbers);
    else
      groups.push_back({std::move(parts.words), parts.numbers, parts.numbers});
  }
  std::vector<RepeatedText> result;
  for (const AlikeTexts& group : groups) result.push_back({group.text(), group.times});
  return result;
}

}  // namespace kernelscape
