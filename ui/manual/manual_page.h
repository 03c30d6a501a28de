#pragma once

#include <QString>
#include <vector>

namespace kernelscape {

/** A heading of a page with the text below it, up to the next heading. */
struct ManualSection {
  QString heading;
  QString anchor;  ///< "how-gp-works", as links write it
  int level = 1;   ///< 1: the page's title
  QString text;    ///< Markdown, without the heading
};

/** A README of the source tree, as it was when the program was built. */
struct ManualPage {
  QString path;   ///< in the source tree: "ui/views/README.md"
  QString title;  ///< its first heading
  QString markdown;
  std::vector<ManualSection> sections;  ///< in order; the first has the title
};

/** Pages that belong together, in the order in which they are read. */
struct ManualChapter {
  QString title;
  std::vector<ManualPage> pages;
};

/** The manual: every README of the source tree and the glossary. Read once; any thread may ask. */
const std::vector<ManualChapter>& manual_chapters();

/** The page of a path in the source tree; null: there is none. */
const ManualPage* manual_page(const QString& path);

/** The anchor of a heading, as GitHub makes it: small letters, hyphens for spaces, no punctuation. */
QString anchor_of(const QString& heading);

/** Where a link leads. */
struct ManualPlace {
  QString path;    ///< of a page
  QString anchor;  ///< of a section; empty: the page's beginning

  bool operator==(const ManualPlace&) const = default;
};

/**
 * Where a link of a page leads: a folder stands for its README.
 * @return empty path: to no page of the manual
 */
ManualPlace resolve_link(const QString& from_path, const QString& link);

/** A section in which all words were found. */
struct ManualHit {
  ManualPlace place;
  QString title;    ///< of the section
  QString page;     ///< title of its page
  QString excerpt;  ///< of its text, around the first word
};

/**
 * The sections that contain all words, whatever their letters' case: those with the words in their heading
 * first, then by how often they stand in the text.
 */
std::vector<ManualHit> search_manual(const QString& words, std::size_t most = 60);

}  // namespace kernelscape
