#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kernelscape::base {

// Texts from files, databases and users must not be interpreted as commands by the program that shows or
// reads them. A medium (a terminal, Markdown, a CSV file, ...) is a type of core/base/media with the
// functions that escape for it; a text that is safe in a medium has the type Written<Medium>, and functions
// that output to the medium accept only that type.

/** A string literal of the program's source, or a part of one. It is safe in the medium it is written for. */
class Literal {
 public:
  /** Accepts only a string literal: anything else does not compile. */
  template <std::size_t size>
  consteval Literal(const char (&text)[size]) : text_(text, size - 1) {}

  constexpr std::string_view text() const { return text_; }    ///< without the 0 at its end
  constexpr std::size_t size() const { return text_.size(); }  ///< in bytes
  /** Returns the first position of `mark` from `start` on; npos if there is none. */
  constexpr std::size_t find(Literal mark, std::size_t start = 0) const {
    return text_.find(mark.text_, start);
  }
  /** Returns `count` bytes from `start` on, which is at most the size. */
  constexpr Literal part(std::size_t start, std::size_t count = std::string_view::npos) const {
    Literal part = *this;
    part.text_ = text_.substr(start, count);
    return part;
  }

 private:
  std::string_view text_;
};

template <typename Medium>
class Written;

namespace writing {

template <typename Argument>
inline constexpr bool is_number =
    std::is_arithmetic_v<Argument> && !std::same_as<Argument, char> && !std::same_as<Argument, wchar_t>;

/**
 * Returns what is formatted in place of an argument: numbers and safe texts unchanged, other texts escaped.
 */
template <typename Medium, typename Argument>
auto safe_argument(const Argument& argument) {
  if constexpr (std::same_as<Argument, Written<Medium>> || std::same_as<Argument, Literal>) {
    return std::string_view(argument.text());
  } else if constexpr (is_number<Argument>) {
    return argument;
  } else if constexpr (std::same_as<Argument, char>) {
    return Medium::escaped(std::string_view(&argument, 1));
  } else {
    static_assert(std::convertible_to<const Argument&, std::string_view>,
                  "neither a number nor a text nor written for this medium");
    static_assert(
        requires { Medium::escaped(std::string_view()); },
        "this medium has several places for texts: name one, such as CSource::comment(text)");
    return Medium::escaped(std::string_view(argument));
  }
}

template <typename Medium, typename Argument>
using SafeArgument = decltype(safe_argument<Medium>(std::declval<const Argument&>()));

}  // namespace writing

/** A format string of libfmt, checked at compile time; only a literal is accepted. */
template <typename Medium, typename... Arguments>
class WrittenFormat {
 public:
  /** Does not compile unless the placeholders fit the arguments. */
  template <std::size_t size>
  consteval WrittenFormat(const char (&text)[size]) : format_(text) {}

  /** Returns the format for arguments returned by safe_argument(). */
  fmt::format_string<writing::SafeArgument<Medium, Arguments>...> format() const { return format_; }

 private:
  fmt::format_string<writing::SafeArgument<Medium, Arguments>...> format_;
};

/** Makes the compiler deduce the types of a format from the arguments of the call alone. */
template <typename Medium, typename... Arguments>
using FormatFor = std::type_identity_t<WrittenFormat<Medium, Arguments...>>;

template <typename Medium, typename... Arguments>
Written<Medium> write(FormatFor<Medium, Arguments...> format, const Arguments&... arguments);

/**
 * A text that is safe in one medium. It is made from literals, from the medium's escaping functions, and by
 * write(); it cannot be made from a std::string directly.
 */
template <typename Medium>
class Written {
 public:
  Written() = default;
  /** Makes a text from a literal, which is written for the medium it is used in. */
  Written(Literal literal) : text_(literal.text()) {}

  const std::string& text() const { return text_; }  ///< for functions that output to the medium
  bool empty() const { return text_.empty(); }       ///< true if nothing was written
  void clear() { text_.clear(); }                    ///< removes the text

  /** Appends a text that is safe in the same medium. */
  Written& operator+=(const Written& other) {
    text_ += other.text_;
    return *this;
  }
  /** Appends a literal. */
  Written& operator+=(Literal literal) {
    text_ += literal.text();
    return *this;
  }
  /** Concatenates two texts. */
  friend Written operator+(Written first, const Written& second) { return std::move(first += second); }
  /** Appends a literal. */
  friend Written operator+(Written first, Literal second) { return std::move(first += second); }
  /** Prepends a literal. */
  friend Written operator+(Literal first, const Written& second) { return Written(first) += second; }
  bool operator==(const Written&) const = default;

 private:
  friend Medium;
  template <typename Any, typename... Arguments>
  friend Written<Any> write(FormatFor<Any, Arguments...> format, const Arguments&... arguments);

  /** Makes a Written from a text that the medium escaped. */
  static Written of_safe(std::string safe) {
    Written text;
    text.text_ = std::move(safe);
    return text;
  }

  std::string text_;
};

/**
 * Formats for a medium: numbers, literals and texts of type Written<Medium> are inserted unchanged, every
 * other text is escaped with the medium's escaped(). A medium with several contexts for texts has no
 * escaped(): there a text must go through the function of its context.
 */
template <typename Medium, typename... Arguments>
Written<Medium> write(FormatFor<Medium, Arguments...> format, const Arguments&... arguments) {
  return Written<Medium>::of_safe(fmt::format(format.format(), writing::safe_argument<Medium>(arguments)...));
}

/** Joins the parts with the separator between them. */
template <typename Medium>
Written<Medium> joined(std::span<const Written<Medium>> parts, Literal separator) {
  Written<Medium> text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

/** The replacement of a mark, such as "@NAME@", in a frame of text. */
template <typename Medium>
struct Filling {
  Literal mark;
  Written<Medium> text;
};

/**
 * Returns the frame with all occurrences of the marks replaced. Marks in the replacements are not replaced.
 */
template <typename Medium>
Written<Medium> filled(Literal frame, std::initializer_list<Filling<Medium>> fillings) {
  Written<Medium> text;
  for (std::size_t start = 0;;) {
    std::size_t nearest = std::string_view::npos;
    const Filling<Medium>* found = nullptr;
    for (const Filling<Medium>& filling : fillings) {
      const std::size_t place = frame.find(filling.mark, start);
      if (place >= nearest) continue;
      nearest = place;
      found = &filling;
    }
    if (found == nullptr) return text += frame.part(start);
    text += frame.part(start, nearest - start);
    text += found->text;
    start = nearest + found->mark.size();
  }
}

}  // namespace kernelscape::base
