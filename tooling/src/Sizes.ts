/** Rules on the length of files, lines and functions. */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

const linesMax = 500
const columnsMax = 120
const columnsOfTextMax = 160
const functionLinesMax = 70

/**
 * Rule: at most 500 lines per file, 120 columns per line, and 70 lines per function.
 *
 * **Details**
 *
 * A text that crosses column 120 may extend to column 160, because the formatter does not break it. Lines of inner
 * functions do not count for the outer one: a constructor of a service is as long as its own statements. Callbacks of
 * tests are not measured.
 */
export function* sizes(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.files.values()) {
    if (!file.isCode && !file.path.endsWith(".py")) continue
    const count = file.text.trimEnd().split("\n").length
    if (count > linesMax) {
      yield file.find("file length", linesMax, `${count} lines, at most ${linesMax}: split the file by nouns`)
    }
    for (const [index, line] of file.lines.entries()) {
      if (line.length <= columnsMax || (line.length <= columnsOfTextMax && isText(file, index))) continue
      yield file.find("line length", index + 1, `${line.length} columns, at most ${columnsMax}: break the line`)
    }
    if (file.isCode && !file.isTest) yield* functions(file)
  }
  return undefined
}

/** Tells whether there is a text at the last column of a line. */
const isText = (file: SourceFile, index: number): boolean => {
  if (!file.isCode) return false
  const offset = file.lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0) + columnsMax
  let found = false
  visit(file.syntax.body, (node) => {
    found ||= /^(Literal|TemplateLiteral|JSXText)$/.test(node.type) && node.start < offset && offset <= node.end
  })
  return found
}

function* functions(file: SourceFile): Generator<Finding, undefined> {
  const found: Array<SyntaxNode> = []
  visit(file.syntax.body, (node) => {
    if (/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type)) found.push(node)
  })
  for (const outer of found) {
    const [first, last] = [file.lineAt(outer.start), file.lineAt(outer.end)]
    const own = new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index))
    for (const inner of found) {
      if (inner === outer || inner.start < outer.start || inner.end > outer.end) continue
      for (let line = file.lineAt(inner.start); line <= file.lineAt(inner.end); line++) own.delete(line)
    }
    if (own.size <= functionLinesMax) continue
    yield file.find("function length", first, `${own.size} lines, at most ${functionLinesMax}: give its steps names`)
  }
  return undefined
}
