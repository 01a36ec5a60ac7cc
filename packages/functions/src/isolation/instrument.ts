/**
 * Writes the guards of a function into its text.
 *
 * Calls are inserted around computed keys, assigned objects, answers and spread values, and at the beginning of each
 * function and each round of a loop. Nothing is removed, so the function gives the same answer as without them.
 */
import type * as Acorn from "acorn"
import type { guards } from "./guards.ts"
import { childrenOf, isFunction, isLate, isNamed, isSorting, isSyntax, memberName, type Syntax } from "./syntax.ts"

/** Names of the guards in the text. They are longer than any name that the text uses itself. */
type Names = { readonly [Name in keyof typeof guards]: string }

const all = ["enter", "key", "leave", "look", "own", "pinned", "plain", "spread", "step"] as const

/** The text of a function with its guards. `offset` is the position of the text in the parsed source. */
export const instrument = (
  source: string,
  node: Acorn.Node,
  offset: number
): { readonly text: string; readonly names: Names } => {
  const root: unknown = node
  const used = new Set<string>()
  if (isSyntax(root)) collectNames(root, used)
  let suffix = "$"
  while (all.some((name) => used.has(`${name}${suffix}`))) suffix += "$"
  const names = Object.fromEntries(all.map((name) => [name, `${name}${suffix}`])) as Names
  const edits = new Edits(names)
  if (isSyntax(root)) visit(root, edits)
  return { text: edits.applied(source, offset), names }
}

const collectNames = (node: Syntax, used: Set<string>): void => {
  if (node.type === "Identifier") used.add(String(node["name"]))
  for (const child of childrenOf(node)) collectNames(child, used)
}

/** Text to insert. Insertions around parts nest, and the outer one is noted first. */
class Edits {
  readonly names: Names
  /** Members that are called where they are read. */
  readonly callees = new Set<Syntax>()
  readonly #opens: Array<{ readonly at: number; readonly order: number; readonly text: string }> = []
  readonly #closes: Array<{ readonly at: number; readonly order: number; readonly text: string }> = []

  constructor(names: Names) {
    this.names = names
  }

  around(part: unknown, open: string, close: string): void {
    if (!isSyntax(part)) return
    const order = this.#opens.length
    this.#opens.push({ at: Number(part["start"]), order, text: open })
    this.#closes.push({ at: Number(part["end"]), order: -order, text: close })
  }

  /** The parentheses keep `a, b` one argument. */
  call(name: keyof Names, part: unknown): void {
    this.around(part, `${this.names[name]}((`, "))")
  }

  /** Counts a part as a call of its own. */
  counted(part: unknown): void {
    this.around(part, `${this.names.leave}(${this.names.enter}(), (`, "))")
  }

  applied(source: string, offset: number): string {
    const isOpen = new Set(this.#opens)
    const edits = [...this.#opens, ...this.#closes].sort((one, other) => {
      if (one.at !== other.at) return one.at - other.at
      // If one part ends where the next begins, the end comes first.
      const [left, right] = [isOpen.has(one) ? 1 : 0, isOpen.has(other) ? 1 : 0]
      return left === right ? one.order - other.order : left - right
    })
    let text = ""
    let from = 0
    for (const edit of edits) {
      text += source.slice(from, edit.at - offset) + edit.text
      from = edit.at - offset
    }
    return text + source.slice(from)
  }
}

const visit = (node: Syntax, edits: Edits): void => {
  if (isFunction(node)) visitFunction(node, edits)
  visitors[node.type]?.(node, edits)
  for (const child of childrenOf(node)) visit(child, edits)
}

/** A function counts its call at its beginning and at its answer. */
const visitFunction = ({ body }: Syntax, edits: Edits): void => {
  if (!isSyntax(body)) return
  if (body.type !== "BlockStatement") {
    edits.counted(body)
    return
  }
  const { enter, leave } = edits.names
  const [start, end] = [Number(body["start"]), Number(body["end"])]
  // Nothing happens in an empty one.
  if ((body["body"] as ReadonlyArray<unknown>).length === 0) return
  edits.around({ type: "Inside", start: start + 1, end: end - 1 }, `${enter}();`, `;${leave}();`)
}

const loop = ({ body }: Syntax, edits: Edits): void => edits.around(body, `{${edits.names.step}();`, "}")

const change = (target: unknown, edits: Edits): void => {
  if (isSyntax(target) && target.type === "MemberExpression") edits.call("own", target["object"])
}

const visitors: Readonly<Record<string, (node: Syntax, edits: Edits) => void>> = {
  ReturnStatement: (node, edits) => {
    if (isSyntax(node["argument"])) {
      edits.around(node["argument"], `${edits.names.leave}(0, (`, "))")
      return
    }
    const start = Number(node["start"])
    edits.around({ type: "Keyword", start, end: start + "return".length }, "", ` ${edits.names.leave}()`)
  },
  DoWhileStatement: loop,
  ForInStatement: loop,
  ForOfStatement: loop,
  ForStatement: loop,
  WhileStatement: loop,
  // A default value is computed before the body of its function begins.
  AssignmentPattern: ({ right }, edits) => edits.counted(right),
  CallExpression: ({ arguments: given, callee }, edits) => {
    if (isSyntax(callee)) edits.callees.add(callee)
    spreadIn(given, edits)
  },
  NewExpression: ({ arguments: given }, edits) => spreadIn(given, edits),
  ObjectExpression: ({ properties }, edits) => {
    for (const property of properties as ReadonlyArray<Syntax>) {
      if (property.type === "SpreadElement") edits.call("look", property["argument"])
    }
  },
  ObjectPattern: ({ properties }, edits) => {
    for (const property of properties as ReadonlyArray<Syntax>) {
      if (property["computed"] !== true) continue
      edits.call("key", property["key"])
      edits.counted(property["key"])
    }
  },
  MemberExpression: (node, edits) => {
    if (node["computed"] === true && !isLiteral(node["property"])) edits.call("key", node["property"])
    if (node["computed"] === false && isNamed(node["property"], "tree")) edits.call("look", node["object"])
    const name = memberName(node)
    if (name !== undefined && isSorting(name)) edits.call(edits.callees.has(node) ? "pinned" : "plain", node["object"])
    if (name !== undefined && isLate(name)) edits.call("plain", node["object"])
  },
  AssignmentExpression: ({ left }, edits) => change(left, edits),
  UpdateExpression: ({ argument }, edits) => change(argument, edits),
  UnaryExpression: ({ argument, operator }, edits) => {
    if (operator === "delete") change(deletedOf(argument), edits)
  }
}

const spreadIn = (given: unknown, edits: Edits): void => {
  for (const argument of given as ReadonlyArray<Syntax>) {
    if (argument.type === "SpreadElement") edits.call("spread", argument["argument"])
  }
}

const isLiteral = (node: unknown): boolean => isSyntax(node) && node.type === "Literal"

/** `delete a?.b` wraps its member in a chain. */
const deletedOf = (node: unknown): unknown =>
  isSyntax(node) && node.type === "ChainExpression" ? node["expression"] : node
