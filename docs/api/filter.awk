# SPDX-License-Identifier: Apache-2.0
# What Doxygen reads in place of a header: the comment at its head, which says what the header is for and shows its use,
# becomes the file's description, and what it declares belongs to the group of its folder (pages.dox). A section of a
# header begins with a line of dashes. Its first comment is added to the file's description. A section of details is left
# out, except for its namespaces and conditions.
function text(line) {
  gsub(/&/, "\\&amp;", line)
  gsub(/</, "\\&lt;", line)
  gsub(/>/, "\\&gt;", line)
  gsub(/[\\@*#~|]/, "\\\\&", line)
  return line
}
function close_code() {
  if (in_code) print "@endcode"
  in_code = 0
}
FNR == 1 {
  folder = FILENAME
  sub(/.*\/include\/evenly\//, "", folder)
  if (!sub(/\/.*/, "", folder)) folder = "all"
  print "/** @file"
  head = 1
  in_group = 0
  next
}
/^\/\/ --- details -+$/ { details = 1; next }
/^\/\/ -+$/ {
  details = 0
  print "/** @file"
  head = 1
  next
}
details && !/^(namespace [a-z:]+ \{|\} \/\/ namespace |#)/ { next }
head && /^\/\// {
  sub(/^\/\//, "")
  if (/^   / && (in_code || after_gap)) {
    if (!in_code) print "@code{.cpp}"
    in_code = 1
    print
  } else if (in_code && /^ *$/) {
    print
  } else {
    close_code()
    sub(/^ +/, "")
    print text($0)
  }
  after_gap = /^ *$/ || /:$/
  next
}
head {
  close_code()
  print (in_group ? "*/" : "@ingroup " folder " */") # once: else the group lists the file once per section
  head = 0
  in_group = 1
}
/^namespace evenly(::[a-z]+)? \{/ && !/detail/ && !grouped { print; print "/** @addtogroup " folder "\n@{ */"; grouped = 1; next }
/^} \/\/ namespace evenly/ && !/detail/ && grouped { print "/** @} */"; print; grouped = 0; next }
{ print }
