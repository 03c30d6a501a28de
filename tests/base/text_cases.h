#pragma once

#include <QByteArray>
#include <QString>
#include <QStringDecoder>
#include <array>
#include <random>
#include <string>
#include <string_view>

namespace kernelscape::base_tests {

/** What means something somewhere, and bytes that mean nothing anywhere. */
inline constexpr std::array<std::string_view, 62> likely_pieces = {"a",
                                                                   "Z",
                                                                   "7",
                                                                   " ",
                                                                   "  ",
                                                                   "é",
                                                                   "漢",
                                                                   "\xf0\x9f\x98\x80",
                                                                   "\"",
                                                                   "'",
                                                                   "\\",
                                                                   "`",
                                                                   "```",
                                                                   "\n",
                                                                   "\r\n",
                                                                   "\t",
                                                                   "\r",
                                                                   "\x1b[31m",
                                                                   "\x1b]0;x\x07",
                                                                   "\x7f",
                                                                   "\xc2\x9b",
                                                                   "\xc2\x85",
                                                                   "\xe2\x80\xae",
                                                                   "\xe2\x81\xa6",
                                                                   "\xe2\x80\x8f",
                                                                   "\xef\xbb\xbf",
                                                                   "\xff",
                                                                   "\xc0\xaf",
                                                                   "\xed\xa0\x80",
                                                                   "\xe2\x80",
                                                                   "$HOME",
                                                                   "${x}",
                                                                   "$ENV{HOME}",
                                                                   "$(id)",
                                                                   "@x@",
                                                                   ";",
                                                                   "*/",
                                                                   "/*",
                                                                   "*",
                                                                   "/",
                                                                   "?\?/",
                                                                   "<b>",
                                                                   "&amp;",
                                                                   "<!--",
                                                                   "]]>",
                                                                   "|",
                                                                   "[x](http://y)",
                                                                   "www.a.b",
                                                                   "#",
                                                                   "%s",
                                                                   "%",
                                                                   "{}",
                                                                   "=1+1",
                                                                   "+",
                                                                   "-",
                                                                   "@",
                                                                   "\xef\xbc\x9d",
                                                                   ",",
                                                                   "(",
                                                                   ")",
                                                                   "!",
                                                                   "=cmd|' /C calc'!A0"};

/** Up to `most` of these pieces, or bytes of any kind. */
inline std::string random_text(std::mt19937_64& random, std::size_t most = 12) {
  std::string text;
  for (std::size_t count = random() % (most + 1); count > 0; --count) {
    if (random() % 5 == 0)
      text += static_cast<char>(random() % 256);
    else
      text += likely_pieces[random() % likely_pieces.size()];
  }
  return text;
}

/** Characters by another decoder than the one that is tested; empty where it is no UTF-8. */
inline std::u32string characters_of(std::string_view text, bool* valid = nullptr) {
  QStringDecoder decoder(QStringDecoder::Utf8,
                         QStringConverter::Flag::Stateless | QStringConverter::Flag::ConvertInitialBom);
  const QString decoded = decoder.decode(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
  if (valid != nullptr) *valid = !decoder.hasError();
  return decoder.hasError() ? std::u32string() : decoded.toStdU32String();
}

}  // namespace kernelscape::base_tests
