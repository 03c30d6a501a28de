#pragma once

#include <QByteArray>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/**
 * One page of XHTML-compatible HTML 5 in UTF-8 that needs nothing else: charts are SVG in it, colours follow
 * the reader's light or dark theme, paper is always light. No script; its own policy forbids any.
 * On the window's thread: some milliseconds for each chart.
 */
QByteArray to_html(const ReportDocument& document);

/** PDF, A4. On the window's thread: some milliseconds for each chart. */
Result<QByteArray> to_pdf(const ReportDocument& document);

/** A format of reports. To add one: its writer, and a row in report_writers.cpp. */
struct ReportFormat {
  std::string name;                   ///< "HTML"
  std::vector<std::string> suffixes;  ///< ".html", ".htm"
  /** Whether this program wrote a report of this format that begins so (up to 1 MiB). */
  bool (*recognises_own)(std::string_view head);
  Result<QByteArray> (*render)(const ReportDocument& document);
};

/** Constant while the program runs. */
const std::vector<ReportFormat>& report_formats();

/** Whether a report can be written there: the suffix is .html, .htm or .pdf. The error lists them. */
Status check_report_path(const std::filesystem::path& path);

/** What a report of that suffix would be written as; see OutputFile for `force` and `sources`. */
Result<OutputRequest> report_output(const std::filesystem::path& path, bool force = false,
                                    std::vector<std::filesystem::path> sources = {});

/** By the suffix; on the window's thread. */
Result<QByteArray> render_report(const ReportDocument& document, const std::filesystem::path& path);

/** Renders and writes the file as a whole or not at all; on the window's thread. See report_output(). */
Status write_report(const ReportDocument& document, const std::filesystem::path& path, bool force = false,
                    std::vector<std::filesystem::path> sources = {});

}  // namespace kernelscape
