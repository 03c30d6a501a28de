#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ui/web/http_request.h"

using namespace kernelscape;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

/** What the parts of a request never contain: they are looked up, compared, and written into a response. */
bool is_one_word(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

/** Any bytes are a request, the beginning of one, or refused; further bytes do not change the verdict. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const web::ParsedRequest request = web::parse_http_request(bytes);
  const web::ParsedRequest beginning = web::parse_http_request(bytes.substr(0, size / 2));
  if (beginning && *beginning) expect(request && *request && (*request)->path == (*beginning)->path);
  if (request && !*request) expect(size < web::max_head_bytes);
  if (!request || !*request) return 0;
  const web::HttpRequest& read = **request;
  expect(!read.method.empty() && is_one_word(read.method));
  expect(read.path.starts_with('/') && is_one_word(read.path) && !read.path.contains('?'));
  expect(is_one_word(read.query));
  expect(is_one_line(read.host) && is_one_line(read.cookie) && is_one_line(read.if_none_match));
  web::is_loopback_host(read.host);
  if (const auto token = web::find_value(read.query, '&', "token")) expect(read.query.contains(*token));
  if (const auto cookie = web::find_value(read.cookie, ';', "kernelscape-1"))
    expect(read.cookie.contains(*cookie));
  return 0;
}
