#include "ui/report/report_writers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"

namespace kernelscape {
namespace {

std::string suffix_of(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return suffix;
}

}  // namespace

Status check_report_path(const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  if (suffix == ".html" || suffix == ".htm" || suffix == ".pdf") return {};
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("cannot write a report to '{}': '{}' is no format of reports", path.string(), suffix),
      "let the name end in .html or .pdf");
}

Result<QByteArray> render_report(const ReportDocument& document, const std::filesystem::path& path) {
  TRY(check_report_path(path));
  if (suffix_of(path) == ".pdf") return to_pdf(document);
  return to_html(document);
}

Status write_report(const ReportDocument& document, const std::filesystem::path& path) {
  const QByteArray bytes = TRY(render_report(document, path));
  return write_file_atomically(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace kernelscape
