/** Reads the syntax tree of a function: the names that it takes from its scope, and impurities that the text shows. */
import type * as Acorn from "acorn"

/** A node of a syntax tree. */
export interface Syntax {
  readonly type: string
  readonly [key: string]: unknown
}

/** Tells whether a value is a node of a syntax tree. */
export const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"

/** Lists the nodes directly within a node. */
export const childrenOf = (node: Syntax): ReadonlyArray<Syntax> => {
  const found: Array<Syntax> = []
  for (const key of Object.keys(node)) {
    const value = node[key]
    if (isSyntax(value)) found.push(value)
    else if (Array.isArray(value)) for (const item of value) if (isSyntax(item)) found.push(item)
  }
  return found
}

class Scope {
  readonly names = new Set<string>()
  readonly parent: Scope | undefined

  constructor(parent: Scope | undefined) {
    this.parent = parent
  }

  has(name: string): boolean {
    return this.names.has(name) || this.parent?.has(name) === true
  }
}

/** Adds the names that a pattern binds. */
const bind = (pattern: unknown, scope: Scope): void => {
  if (!isSyntax(pattern)) return
  switch (pattern.type) {
    case "Identifier":
      scope.names.add(pattern["name"] as string)
      return
    case "ObjectPattern":
      for (const property of pattern["properties"] as ReadonlyArray<Syntax>) {
        bind(property.type === "RestElement" ? property["argument"] : property["value"], scope)
      }
      return
    case "ArrayPattern":
      for (const element of pattern["elements"] as ReadonlyArray<unknown>) bind(element, scope)
      return
    case "AssignmentPattern":
      bind(pattern["left"], scope)
      return
    case "RestElement":
      bind(pattern["argument"], scope)
  }
}

/** Tells whether a node is a function of any form. */
export const isFunction = (node: Syntax): boolean =>
  node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression" || node.type === "FunctionDeclaration"

/** Adds the declarations of one block, and the `var` declarations below it. */
const declare = (nodes: ReadonlyArray<Syntax>, scope: Scope, nested: boolean): void => {
  for (const node of nodes) {
    if (node.type === "VariableDeclaration" && (!nested || node["kind"] === "var")) {
      for (const declarator of node["declarations"] as ReadonlyArray<Syntax>) bind(declarator["id"], scope)
    } else if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
      if (!nested) bind(node["id"], scope)
    }
    if (!isFunction(node)) declare(childrenOf(node), scope, true)
  }
}

const visitFunction = (node: Syntax, outer: Scope, free: Set<string>): void => {
  const scope = new Scope(outer)
  if (node.type === "FunctionExpression") bind(node["id"], scope)
  for (const parameter of node["params"] as ReadonlyArray<unknown>) bind(parameter, scope)
  const body = node["body"] as Syntax
  if (body.type === "BlockStatement") declare(body["body"] as ReadonlyArray<Syntax>, scope, false)
  for (const parameter of node["params"] as ReadonlyArray<Syntax>) visitPattern(parameter, scope, free)
  if (body.type === "BlockStatement") for (const child of childrenOf(body)) visit(child, scope, free)
  else visit(body, scope, free)
}

/** Default values and computed keys are expressions. The names that a pattern binds are no uses. */
const visitPattern = (pattern: Syntax, scope: Scope, free: Set<string>): void => {
  switch (pattern.type) {
    case "Identifier":
      return
    case "AssignmentPattern":
      visitPattern(pattern["left"] as Syntax, scope, free)
      visit(pattern["right"] as Syntax, scope, free)
      return
    case "ObjectPattern":
      for (const property of pattern["properties"] as ReadonlyArray<Syntax>) {
        if (property["computed"] === true) visit(property["key"] as Syntax, scope, free)
        visitPattern(
          (property.type === "RestElement" ? property["argument"] : property["value"]) as Syntax,
          scope,
          free
        )
      }
      return
    case "ArrayPattern":
      for (const element of pattern["elements"] as ReadonlyArray<Syntax | null>) {
        if (element !== null) visitPattern(element, scope, free)
      }
      return
    case "RestElement":
      visitPattern(pattern["argument"] as Syntax, scope, free)
      return
    default:
      visit(pattern, scope, free)
  }
}

const visit = (node: Syntax, scope: Scope, free: Set<string>): void => {
  if (isFunction(node)) {
    visitFunction(node, scope, free)
    return
  }
  switch (node.type) {
    case "Identifier": {
      const name = node["name"] as string
      if (!scope.has(name)) free.add(name)
      return
    }
    case "MemberExpression":
      visit(node["object"] as Syntax, scope, free)
      if (node["computed"] === true) visit(node["property"] as Syntax, scope, free)
      return
    case "Property":
      if (node["computed"] === true) visit(node["key"] as Syntax, scope, free)
      visit(node["value"] as Syntax, scope, free)
      return
    case "LabeledStatement":
      visit(node["body"] as Syntax, scope, free)
      return
    case "BreakStatement":
    case "ContinueStatement":
      return
    case "VariableDeclarator":
      visitPattern(node["id"] as Syntax, scope, free)
      if (isSyntax(node["init"])) visit(node["init"], scope, free)
      return
    case "CatchClause":
    case "BlockStatement":
    case "ForStatement":
    case "ForOfStatement":
    case "ForInStatement":
    case "SwitchStatement":
      visitBlock(node, scope, free)
      return
    default:
      for (const child of childrenOf(node)) visit(child, scope, free)
  }
}

const visitBlock = (node: Syntax, outer: Scope, free: Set<string>): void => {
  const scope = new Scope(outer)
  if (node.type === "CatchClause") bind(node["param"], scope)
  const direct =
    node.type === "SwitchStatement" ? (node["cases"] as ReadonlyArray<Syntax>).flatMap(childrenOf) : childrenOf(node)
  declare(direct, scope, false)
  for (const child of childrenOf(node)) {
    if (node.type === "CatchClause" && child === node["param"]) visitPattern(child, scope, free)
    else visit(child, scope, free)
  }
}

/** Names that a function uses without declaring them, sorted. */
export const freeNames = (node: Acorn.Node): ReadonlyArray<string> => {
  const free = new Set<string>()
  const root: unknown = node
  if (isSyntax(root)) visit(root, new Scope(undefined), free)
  return [...free].sort()
}

const refusedSyntax: Readonly<Record<string, string>> = {
  AwaitExpression: "it awaits",
  ClassDeclaration: "it declares a class",
  ClassExpression: "it declares a class",
  DebuggerStatement: "it stops in a debugger",
  ImportExpression: "it imports",
  MetaProperty: "it reads import.meta or new.target",
  Super: "it uses super",
  ThisExpression: "it uses this",
  TryStatement: "it tries, to catch or to end: what fails, and how deep, differs between machines",
  YieldExpression: "it yields"
}

/** Members that compile text, change objects that all folds share, or differ between machines. */
export const refusedMembers: RegExp = new RegExp(
  `^(?:${[
    "toLocale\\w*|localeCompare|normalize|random|toLowerCase|toUpperCase|compile",
    "constructor|__\\w+__|prototype|caller|callee|call|apply|bind|stack",
    "[gs]etPrototypeOf|definePropert(?:y|ies)|getOwnPropert\\w+|create|groupBy|fromAsync",
    "isFrozen|isSealed|isExtensible|seal|preventExtensions"
  ].join("|")})$`
)

/** Members of lists, sets, maps and iterators that are newer than ECMAScript 2024, or that some engines lack. */
const lateMembers = new Set([
  ...["union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"],
  ...["getOrInsert", "getOrInsertComputed", "emplace", "group", "groupToMap"],
  ...["take", "drop", "toArray", "chunks", "windows"]
])

/**
 * Tells whether an engine may lack a member of a built-in object. A plain object may have an own member of that name.
 */
export const isLate = (name: string): boolean => lateMembers.has(name)

/** Tells whether a member sorts a list. */
export const isSorting = (name: string): boolean => name === "sort" || name === "toSorted"

/** Members of each built-in object that a function may use, in addition to calling the object. */
const lends: Readonly<Record<string, ReadonlySet<string>>> = {
  Array: new Set(["from", "isArray", "of"]),
  JSON: new Set(["parse", "stringify"]),
  Map: new Set(),
  Number: new Set([
    ...["EPSILON", "MAX_SAFE_INTEGER", "MAX_VALUE", "MIN_SAFE_INTEGER", "MIN_VALUE", "NEGATIVE_INFINITY"],
    ...["NaN", "POSITIVE_INFINITY", "isFinite", "isInteger", "isNaN", "isSafeInteger", "parseFloat", "parseInt"]
  ]),
  Object: new Set(["assign", "entries", "freeze", "fromEntries", "hasOwn", "is", "keys", "values"]),
  Set: new Set(),
  String: new Set(["fromCharCode", "fromCodePoint", "raw"])
}

/** Reasons, from the syntax alone, why a function cannot be pure, synchronous and platform-independent. */
export const unsafeSyntax = (node: Acorn.Node, mathMembers: ReadonlySet<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const root: unknown = node
  if (isSyntax(root)) inspect(root, mathMembers, found)
  return [...found]
}

const inspect = (node: Syntax, mathMembers: ReadonlySet<string>, found: Set<string>): void => {
  const reason = refusedSyntax[node.type]
  if (reason !== undefined) found.add(reason)
  if (isFunction(node) && node["async"] === true) found.add("it is async")
  if (isFunction(node) && node["generator"] === true) found.add("it is a generator")
  if (node.type === "Literal" && typeof node["value"] === "bigint")
    found.add("it uses a bigint, which JSON cannot carry")
  if (node.type === "BinaryExpression" || node.type === "AssignmentExpression") {
    if (String(node["operator"]).startsWith("**")) found.add("it uses **, whose last digits differ between machines")
  }
  if (isSyntax(node["regex"]) || typeof node["regex"] === "object") inspectPatternText(node["regex"], found)
  if (node.type === "CallExpression") inspectCall(node, found)
  if (node.type === "MemberExpression") inspectMember(node, mathMembers, found)
  if (node.type === "ObjectExpression") inspectPattern(node, found)
  if (node.type === "ArrayPattern" || node.type === "ObjectPattern") inspectTargets(node, found)
  if ((node.type === "ForInStatement" || node.type === "ForOfStatement") && isMember(node["left"])) {
    found.add("it assigns to a member as it loops: assign it in a statement of its own")
  }
  if (node.type === "ObjectPattern") inspectPattern(node, found)
  if (isNamed(node, "Math")) found.add("it passes Math around")
  for (const child of childrenOf(node)) {
    if (node.type === "MemberExpression" && child === node["object"] && isNamed(child, "Math")) continue
    inspect(child, mathMembers, found)
  }
}

/** Tells whether a node is an identifier of a name. */
export const isNamed = (node: unknown, name: string): boolean =>
  isSyntax(node) && node.type === "Identifier" && node["name"] === name

const isMember = (node: unknown): boolean => isSyntax(node) && node.type === "MemberExpression"

/** Patterns bind names. A pattern that writes to a member would do so without a guard. */
const inspectTargets = (node: Syntax, found: Set<string>): void => {
  const targets =
    node.type === "ArrayPattern"
      ? (node["elements"] as ReadonlyArray<Syntax | null>)
      : (node["properties"] as ReadonlyArray<Syntax>).map((property) =>
          property.type === "RestElement" ? property : (property["value"] as Syntax)
        )
  const inner = (target: unknown): unknown => {
    if (!isSyntax(target)) return target
    if (target.type === "AssignmentPattern") return inner(target["left"])
    return target.type === "RestElement" ? inner(target["argument"]) : target
  }
  if (targets.map(inner).some(isMember)) {
    found.add("it assigns to a member in a pattern: assign it in a statement of its own")
  }
}

/**
 * Properties of characters, and their case, depend on the version of Unicode, which differs between engines. ASCII
 * letters are compared without it, unless the flag `u` or `v` folds other characters into them.
 */
const inspectPatternText = (regex: unknown, found: Set<string>): void => {
  const { flags = "", pattern = "" } = (regex ?? {}) as { readonly flags?: string; readonly pattern?: string }
  if (/\\p\{/iu.test(pattern)) found.add("it matches \\p{…}, which differs between versions of Unicode")
  if (flags.includes("v")) found.add("it uses the flag v of a regular expression, which differs between engines")
  const isAscii = [...pattern].every((letter) => letter < "\u0080") && !/\\(?:u|x|k|[1-9])/.test(pattern)
  if (flags.includes("i") && (flags.includes("u") || !isAscii)) {
    found.add("it ignores the case of letters beyond ASCII, which differs between versions of Unicode")
  }
}

/** Methods of iterators are missing in some engines, and the last digits of a fraction in another base differ. */
const inspectCall = ({ arguments: given, callee }: Syntax, found: Set<string>): void => {
  if (!isSyntax(callee) || callee.type !== "MemberExpression") return
  const name = memberName(callee)
  const [first] = given as ReadonlyArray<Syntax>
  if (name === "toString" && first !== undefined && first["value"] !== 10) {
    found.add("it writes a number in another base, whose last digits differ between machines")
  }
  const inner = callee["object"]
  if (!isSyntax(inner) || inner.type !== "CallExpression" || !isSyntax(inner["callee"])) return
  if (inner["callee"].type !== "MemberExpression" || isNamed(inner["callee"]["object"], "Object")) return
  if (iterators.has(memberName(inner["callee"]) ?? "") && iteratorMembers.has(name ?? "")) {
    found.add(`it uses .${name} of an iterator, which not every engine has: spread it into a list first`)
  }
}

const iterators = new Set(["entries", "keys", "matchAll", "values"])
const iteratorMembers = new Set(["every", "filter", "find", "flatMap", "forEach", "map", "reduce", "some"])

const inspectPattern = (node: Syntax, found: Set<string>): void => {
  for (const property of node["properties"] as ReadonlyArray<Syntax>) {
    const key = property["key"] as Syntax | undefined
    const name = key?.type === "Identifier" ? key["name"] : key?.["value"]
    if (typeof name !== "string") continue
    if (refusedMembers.test(name)) found.add(`it uses .${name}`)
    if (node.type === "ObjectPattern" && (name === "tree" || isSorting(name) || isLate(name))) {
      found.add(`it takes .${name} in a pattern: take it as a member, in a statement of its own`)
    }
  }
}

/** Name of the member that an expression reads, if the text shows it. */
export const memberName = (node: Syntax): string | undefined => {
  const property = node["property"] as Syntax
  if (node["computed"] !== true) return property["name"] as string
  return property.type === "Literal" && typeof property["value"] === "string" ? property["value"] : undefined
}

const inspectMember = (node: Syntax, mathMembers: ReadonlySet<string>, found: Set<string>): void => {
  const name = memberName(node)
  if (isNamed(node["object"], "Math")) {
    if (name === undefined || !mathMembers.has(name)) {
      found.add(`it uses Math.${name ?? "[…]"}; only ${[...mathMembers].join(", ")} are the same on every platform`)
    }
  } else if (name !== undefined && refusedMembers.test(name)) {
    found.add(`it uses .${name}`)
  } else if (name !== undefined) {
    const from = Object.keys(lends).find((each) => isNamed(node["object"], each))
    if (from !== undefined && lends[from]?.has(name) === false) found.add(`it uses ${from}.${name}`)
  }
}
