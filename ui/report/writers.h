#pragma once

#include <QByteArray>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/media/html.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "ui/report/document.h"

namespace kernelscape::report {

/**
 * Renders a self-contained page of XHTML-compatible HTML 5 in UTF-8: charts are inline SVG, colours follow
 * the reader's light or dark theme, and print is always light. It has no script, and its content security
 * policy forbids scripts. Must be called on the window's thread; takes some milliseconds per chart.
 */
QByteArray to_html(const Document& document);

/** The parts of an HTML page, for pages that add a frame of their own. */
struct HtmlParts {
  base::HtmlText title;  ///< of the page
  QByteArray styles;     ///< CSS of the page and of its charts, for both themes
  base::HtmlText body;   ///< header, table of contents and blocks: the content of <main>
};

/** Renders the parts of to_html(). Must be called on the window's thread. */
HtmlParts to_html_parts(const Document& document);

/** Renders a PDF in A4. Must be called on the window's thread; takes some milliseconds per chart. */
Result<QByteArray> to_pdf(const Document& document);

/** A file format of reports. To add a format, write its writer and add a row in writers.cpp. */
struct Format {
  std::string name;                   ///< "HTML"
  std::vector<std::string> suffixes;  ///< ".html", ".htm"
  /**
   * Returns true if a file that begins with `head` (up to 1 MiB) is a report of this format written by this
   * program.
   */
  bool (*recognises_own)(std::string_view head);
  Result<QByteArray> (*render)(const Document& document);
};

/** Returns the formats; constant while the program runs. */
const std::vector<Format>& report_formats();

/** Checks that the suffix is that of a report format: .html, .htm or .pdf. The error lists them. */
Status check_report_path(const std::filesystem::path& path);

/**
 * Returns the output request for a report with the suffix of `path`; see OutputFile for `force` and
 * `sources`.
 */
Result<base::OutputRequest> report_output(const std::filesystem::path& path, bool force = false,
                                          std::vector<std::filesystem::path> sources = {});

/** Renders a report in the format of the suffix. Must be called on the window's thread. */
Result<QByteArray> render_report(const Document& document, const std::filesystem::path& path);

/**
 * Renders a report, and writes the file as a whole or not at all. Must be called on the window's thread. See
 * report_output().
 */
Status write_report(const Document& document, const std::filesystem::path& path, bool force = false,
                    std::vector<std::filesystem::path> sources = {});

}  // namespace kernelscape::report
