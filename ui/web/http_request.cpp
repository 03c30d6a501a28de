#include "ui/web/http_request.h"

#include <algorithm>
#include <utility>

namespace kernelscape::web {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::string_view blanks = " \t";

bool is_digit_character(char c) { return c >= '0' && c <= '9'; }

/** Returns true for characters of methods and of names of fields (RFC 9110, section 5.6.2). */
bool is_token_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || is_digit_character(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

/** Returns true for characters of targets: visible ASCII. */
bool is_target_character(char c) { return c > ' ' && c < '\x7f'; }

/** Returns true for controls that no request contains; line ends are checked where lines are split. */
bool is_forbidden_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code < ' ' && c != '\t' && c != '\r' && c != '\n') || code == 0x7f;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string_view trimmed_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/** Removes the first part of a text up to a separator, and returns it; the whole text if there is none. */
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + separator.size());
  return part;
}

using RequestStatus = std::expected<void, HttpStatus>;

/** Reads the fields of a request's head, one after the other. */
class HeadReader {
 public:
  RequestStatus read_request_line(std::string_view line) {
    const std::string_view method = take_until(line, " ");
    const std::string_view target = take_until(line, " ");
    if (!is_token(method) || !target.starts_with('/') || !std::ranges::all_of(target, is_target_character))
      return std::unexpected(HttpStatus::BadRequest);
    if (line != "HTTP/1.1" && line != "HTTP/1.0")
      return std::unexpected(line.starts_with("HTTP/") && std::ranges::all_of(line, is_target_character)
                                 ? HttpStatus::VersionNotSupported
                                 : HttpStatus::BadRequest);
    needs_host_ = line == "HTTP/1.1";
    std::string_view rest = target;
    request_.method = method;
    request_.path = take_until(rest, "?");
    request_.query = rest;
    return {};
  }

  RequestStatus read_field(std::string_view line) {
    if (++fields_ > max_fields) return std::unexpected(HttpStatus::HeadTooLarge);
    if (!line.contains(':') || line.find_first_of(line_end) != std::string_view::npos)
      return std::unexpected(HttpStatus::BadRequest);
    const std::string_view name = take_until(line, ":");
    if (!is_token(name)) return std::unexpected(HttpStatus::BadRequest);
    return keep(lower_case(name), trimmed_blanks(line));
  }

  ParsedRequest finished() {
    if (needs_host_ && !has_host_) return std::unexpected(HttpStatus::BadRequest);
    return std::move(request_);
  }

 private:
  RequestStatus keep(std::string_view name, std::string_view value) {
    if (name == "host") {
      if (std::exchange(has_host_, true)) return std::unexpected(HttpStatus::BadRequest);
      request_.host = value;
    } else if (name == "cookie") {
      if (!request_.cookie.empty()) request_.cookie += ';';
      request_.cookie += value;
    } else if (name == "if-none-match") {
      request_.if_none_match = value;
    } else if (name == "transfer-encoding" || (name == "content-length" && value != "0")) {
      return std::unexpected(HttpStatus::ContentTooLarge);
    }
    return {};
  }

  HttpRequest request_;
  std::size_t fields_ = 0;
  bool needs_host_ = true;
  bool has_host_ = false;
};

}  // namespace

ParsedRequest parse_http_request(std::string_view bytes) {
  const std::string_view possible_head = bytes.substr(0, max_head_bytes);
  const std::size_t end = possible_head.find(head_end);
  std::string_view head = possible_head.substr(0, end);
  // Noise, such as the beginning of a TLS connection, is refused without waiting for an empty line.
  if (std::ranges::any_of(head, is_forbidden_control)) return std::unexpected(HttpStatus::BadRequest);
  if (end == std::string_view::npos) {
    if (bytes.size() >= max_head_bytes) return std::unexpected(HttpStatus::HeadTooLarge);
    return std::optional<HttpRequest>();
  }
  HeadReader reader;
  if (const RequestStatus line = reader.read_request_line(take_until(head, line_end)); !line)
    return std::unexpected(line.error());
  while (!head.empty())
    if (const RequestStatus field = reader.read_field(take_until(head, line_end)); !field)
      return std::unexpected(field.error());
  return reader.finished();
}

std::optional<std::string_view> find_value(std::string_view pairs, char separator, std::string_view name) {
  const std::string_view separator_text(&separator, 1);
  while (!pairs.empty()) {
    std::string_view pair = trimmed_blanks(take_until(pairs, separator_text));
    if (take_until(pair, "=") == name) return pair;
  }
  return std::nullopt;
}

bool is_loopback_host(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos &&
                        std::ranges::all_of(host.substr(colon + 1), is_digit_character) &&
                        (!host.starts_with('[') || host.substr(0, colon).ends_with(']'));
  const std::string name = lower_case(has_port ? host.substr(0, colon) : host);
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

}  // namespace kernelscape::web
