#include "core/trial/session_notice.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

namespace kernelscape::trial {
namespace {

constexpr std::string_view digits = "0123456789";

/** A text split into words, with a number after each word except the last. */
struct NumberedText {
  std::vector<std::string> words{""};
  std::vector<std::string> numbers;
};

/**
 * Returns true if the character next to a number makes it part of a name or of another notation: "host-1",
 * "sm_80", "1e-5".
 */
bool joins(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         std::string_view("-+~_").contains(letter);
}

/** Returns true if the following number is a name, which identifies an object, not a quantity. */
bool names_something(std::string_view before) {
  return before.ends_with("process ") || before.ends_with("trial ") || before.ends_with("session ");
}

NumberedText take_apart(std::string_view text) {
  NumberedText result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = std::min(text.find_first_of(digits, at), text.size());
    result.words.back() += text.substr(at, begin - at);
    if (begin == text.size()) break;
    // Includes times, versions and numbers with commas, which are not plain numbers.
    std::size_t end = std::min(text.find_first_not_of("0123456789.,:", begin), text.size());
    end = text.find_last_of(digits, end - 1) + 1;
    const std::string_view number = text.substr(begin, end - begin);
    const bool plain =
        std::ranges::count(number, '.') <= 1 && number.find_first_of(",:") == std::string_view::npos;
    const bool part_of_words = !plain || (begin > 0 && joins(text[begin - 1])) ||
                               (end < text.size() && joins(text[end])) ||
                               names_something(text.substr(0, begin));
    if (part_of_words) {
      result.words.back() += number;
    } else {
      result.numbers.emplace_back(number);
      result.words.emplace_back();
    }
    at = end;
  }
  return result;
}

double value_of(const std::string& number) {
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

/** Texts that differ only in their numbers. */
struct AlikeTexts {
  std::vector<std::string> words;
  std::vector<std::string> least;
  std::vector<std::string> greatest;
  std::int64_t times = 1;

  void add(const std::vector<std::string>& numbers) {
    ++times;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (value_of(numbers[i]) < value_of(least[i])) least[i] = numbers[i];
      if (value_of(numbers[i]) > value_of(greatest[i])) greatest[i] = numbers[i];
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

}  // namespace kernelscape::trial
