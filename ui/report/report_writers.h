#pragma once

#include <QByteArray>
#include <filesystem>

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

/** Whether a report can be written there: the suffix is .html, .htm or .pdf. The error lists them. */
Status check_report_path(const std::filesystem::path& path);

/** By the suffix; on the window's thread. */
Result<QByteArray> render_report(const ReportDocument& document, const std::filesystem::path& path);

/** Renders and replaces the file as a whole or not at all; on the window's thread. */
Status write_report(const ReportDocument& document, const std::filesystem::path& path);

}  // namespace kernelscape
