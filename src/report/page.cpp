// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <fmt/format.h>

#include "measure/text.hpp"
#include "report/charts.hpp"

namespace evenly::report {

using measure::xml_escaped;

namespace {

// gnuplot writes black as an attribute, which a style sheet can override.
constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --rule: #ccc; --thin: #e4e4e4; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #1b1b1d; --rule: #555; --thin: #3a3a3a; } }
body { font: 15px/1.45 Helvetica, Arial, sans-serif; max-width: 1120px; margin: 1.5em auto; padding: 0 1em;
       color: var(--ink); background: var(--paper); overflow-wrap: break-word; }
h1 { font-size: 1.5em; } h2 { margin-top: 1.8em; border-bottom: 1px solid var(--rule); }
.scrolls { overflow-x: auto; margin: .6em 0; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid var(--thin); white-space: nowrap; }
th:first-child, td:first-child, th.words, td.words { text-align: left; }
td.words { white-space: normal; min-width: 14em; max-width: 36em; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1em 1em; margin: .8em 0; }
dt { opacity: .7; } dd { margin: 0; }
figure { display: inline-block; margin: .5em 1em .8em 0; vertical-align: top; max-width: 100%; }
figcaption { font-weight: bold; max-width: 36em; margin-bottom: .3em; }
.chart svg { display: block; max-width: 100%; height: auto; }
.bars { display: grid; grid-template-columns: fit-content(45%) minmax(3.5em, 1fr) max-content; gap: 3px 8px;
        align-items: center; font-size: 13px; width: min(540px, calc(100vw - 2.2em)); }
.bars .label { text-align: right; overflow-wrap: anywhere; }
.bars .bar { position: relative; height: 16px; }
.bars i { display: block; height: 100%; text-align: right; font-style: normal; line-height: 16px; color: #fff; }
.bars b { position: absolute; top: 50%; border-top: 1px solid var(--ink); }
.legend { font-size: 13px; max-width: 460px; } .legend span { display: inline-block; margin-right: 1em; }
.legend svg { display: inline; vertical-align: middle; }
svg [color="black"] { color: var(--ink); } svg [fill="black"] { fill: var(--ink); }
svg [stroke="black"], svg [stroke="rgb(  0,   0,   0)"] { stroke: var(--ink); }
details { margin: .6em 0; } summary { cursor: pointer; }
)css";

} // namespace

std::string html_page(std::string_view title, const std::string& body, std::string_view more_style) {
  return with_charts(
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<title>{0}</title><style>{1}{2}</style></head>\n<body>\n<h1>{0}</h1>\n{3}</body></html>\n",
                  xml_escaped(title), style, more_style, body));
}

std::string scrolling(const std::string& html) { return "<div class=\"scrolls\">" + html + "</div>\n"; }

std::string html_figure(std::string_view caption, const std::string& picture) {
  if (picture.empty()) return "";
  return fmt::format("<figure><figcaption>{}</figcaption>\n<div class=\"chart\">{}</div></figure>\n",
                     xml_escaped(caption), picture);
}

std::string html_details(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", xml_escaped(summary), body);
}

std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string text = "<dl>\n";
  for (const auto& [name, value] : facts)
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_escaped(name), xml_escaped(value));
  return text + "</dl>\n";
}

} // namespace evenly::report
