#include "ui/web/site.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "core/fleet/signature.h"

namespace kernelscape::web {
namespace {

HttpResponse message(HttpStatus status, const QString& text) {
  return {status, message_page(QString::fromLatin1(reason_phrase(status)), text)};
}

/** Reads a number as addresses contain it: digits without leading zeros. */
std::optional<std::int64_t> parse_id(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

/** Returns the maker of a page's reader; null if no page has this path. */
PageCache::MakeReader find_page(std::string_view path, const std::filesystem::path& database) {
  constexpr std::string_view session_path = "/session/";
  constexpr std::string_view study_path = "/study/";
  if (path == "/") return [database] { return make_list_reader(database); };
  if (path.starts_with(session_path)) {
    if (const auto id = parse_id(path.substr(session_path.size())))
      return [database, number = *id] { return make_session_reader(database, number); };
  } else if (path.starts_with(study_path)) {
    if (const auto id = parse_id(path.substr(study_path.size())))
      return [database, number = *id] { return make_study_reader(database, number); };
  }
  return nullptr;
}

}  // namespace

Site::Site(std::filesystem::path database, std::string token, std::uint16_t port)
    : database_(std::move(database)),
      token_(std::move(token)),
      cookie_name_(fmt::format("kernelscape-{}", port)) {}

bool Site::has_cookie(const HttpRequest& request) const {
  const std::optional<std::string_view> cookie = find_value(request.cookie, ';', cookie_name_);
  return cookie && fleet::equal_secrets(*cookie, token_);
}

/** Returns a response that removes the token from the address, where others could read it over a shoulder. */
HttpResponse Site::redirect(const HttpRequest& request) const {
  const std::string cookie = fmt::format("{}={}; HttpOnly; SameSite=Lax; Path=/", cookie_name_, token_);
  return {HttpStatus::SeeOther,
          {},
          {{"Location", QByteArray::fromStdString(request.path)},
           {"Set-Cookie", QByteArray::fromStdString(cookie)}}};
}

void Site::handle(const HttpRequest& request, const Server::Respond& respond) {
  if (!is_loopback_host(request.host))
    return respond(message(HttpStatus::Forbidden,
                           QStringLiteral("Pages are only served under the names 127.0.0.1 and localhost.")));
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse refused = message(HttpStatus::MethodNotAllowed, QStringLiteral("Pages are read only."));
    refused.fields.emplace_back("Allow", "GET, HEAD");
    return respond(refused);
  }
  const std::optional<std::string_view> token = find_value(request.query, '&', "token");
  const bool allowed = token ? fleet::equal_secrets(*token, token_) : has_cookie(request);
  if (!allowed)
    return respond(
        message(HttpStatus::Forbidden,
                QStringLiteral("Open the address that `kernelscape serve` printed: it contains the "
                               "token that this page needs. Allow cookies of 127.0.0.1.")));
  const PageCache::MakeReader make_reader = find_page(request.path, database_);
  if (!make_reader)
    return respond(message(HttpStatus::NotFound, QStringLiteral("There is no page with this address.")));
  if (token) return respond(redirect(request));
  cache_.ask(request.path, make_reader, [respond, known = request.if_none_match](const CachedPage& page) {
    if (page.etag.isEmpty()) return respond({page.status, page.html});
    const std::vector<std::pair<QByteArray, QByteArray>> fields{{"ETag", page.etag}};
    if (known.contains(page.etag.toStdString())) return respond({HttpStatus::NotModified, {}, fields});
    respond({page.status, page.html, fields});
  });
}

}  // namespace kernelscape::web
