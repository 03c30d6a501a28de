#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace kernelscape::web {

/** Status codes of responses (RFC 9110, section 15). */
enum class HttpStatus : std::uint16_t {
  Ok = 200,
  SeeOther = 303,
  NotModified = 304,
  BadRequest = 400,
  Forbidden = 403,
  NotFound = 404,
  MethodNotAllowed = 405,
  RequestTimeout = 408,
  ContentTooLarge = 413,
  HeadTooLarge = 431,
  InternalError = 500,
  Unavailable = 503,
  VersionNotSupported = 505
};

/** Maximum size of a request up to the empty line behind its fields, in bytes. */
inline constexpr std::size_t max_head_bytes = 16'384;
/** Maximum number of fields of a request. */
inline constexpr std::size_t max_fields = 100;

/** A request without content. All texts are as sent: nothing is decoded. */
struct HttpRequest {
  std::string method;         ///< "GET"
  std::string path;           ///< begins with "/"
  std::string query;          ///< the part of the target behind "?", which may be empty
  std::string host;           ///< field Host; empty in requests of HTTP/1.0
  std::string cookie;         ///< fields Cookie, joined with ';'
  std::string if_none_match;  ///< field If-None-Match
};

/** nullopt: more bytes are needed; an error is the status of the response. */
using ParsedRequest = std::expected<std::optional<HttpRequest>, HttpStatus>;

/**
 * Parses the beginning of a connection as a request of HTTP/1.1 or 1.0 (RFC 9112), strictly: lines end with
 * CR LF, folded fields and control characters are errors, and so is content. Bytes behind the request are
 * ignored, since a connection serves one request.
 */
ParsedRequest parse_http_request(std::string_view bytes);

/**
 * Returns the value of a name in "a=1&b=2" or "a=1; b=2"; nullopt if the name is missing.
 * @param separator of the pairs: '&' or ';'
 */
std::optional<std::string_view> find_value(std::string_view pairs, char separator, std::string_view name);

/**
 * Returns true if the field Host names this machine's loopback interface: 127.0.0.1, localhost or [::1], with
 * any port, since SSH may forward another one. Another name can be a web site's, which resolves to 127.0.0.1
 * to read pages across origins (DNS rebinding).
 */
bool is_loopback_host(std::string_view host);

}  // namespace kernelscape::web
