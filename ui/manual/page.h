#pragma once

#include <QString>
#include <vector>

namespace kernelscape::manual {

/** A heading of a page with the text below it, up to the next heading. */
struct Section {
  QString heading;
  QString anchor;  ///< "how-gp-works", in the form used by links
  int level = 1;   ///< 1: the page's title
  QString text;    ///< Markdown, without the heading
};

/** A README of the source tree, with its contents at build time. */
struct Page {
  QString path;   ///< path in the source tree: "ui/views/README.md"
  QString title;  ///< first heading of the page
  QString markdown;
  std::vector<Section> sections;  ///< in order; the first section has the title of the page
};

/** Related pages, in reading order. */
struct Chapter {
  QString title;
  std::vector<Page> pages;
};

/**
 * Returns the manual: every README of the source tree, and the glossary. The files are read once; may be
 * called from any thread.
 */
const std::vector<Chapter>& manual_chapters();

/** Returns the page with a path in the source tree, or null if there is none. */
const Page* manual_page(const QString& path);

/** Returns the anchor of a heading, as GitHub makes it: lower case, hyphens for spaces, no punctuation. */
QString anchor_of(const QString& heading);

/** Target of a link. */
struct Place {
  QString path;    ///< path of a page
  QString anchor;  ///< anchor of a section; empty: the beginning of the page

  bool operator==(const Place&) const = default;
};

/**
 * Resolves a link of a page; a link to a folder leads to its README.
 * @return empty path if the link leads to no page of the manual
 */
Place resolve_link(const QString& from_path, const QString& link);

/** A section that contains all words of a search. */
struct Hit {
  Place place;
  QString title;    ///< title of the section
  QString page;     ///< title of the page
  QString excerpt;  ///< text of the section around the first word
};

/**
 * Returns the sections that contain all words, ignoring case. Sections with the words in their heading come
 * first; then they are ordered by the number of occurrences.
 * @param most maximum number of results
 */
std::vector<Hit> search_manual(const QString& words, std::size_t most = 60);

}  // namespace kernelscape::manual
