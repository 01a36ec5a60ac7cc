/** The rule on fields of errors: a field with the name of a property of `Error` hides that property. */
import { type Finding, type Repository, type SyntaxNode, visit } from "./Repository.ts"

const advice: Readonly<Record<string, string>> = {
  name: "it hides Error.name: call the field by what it names, such as claim, key or tool",
  message: "it hides Error.message: make the message a getter over the other fields",
  stack: "it hides Error.stack: call the field by what it is",
  cause: "it hides Error.cause: declare it with Schema.Defect(), or call the field by what it is"
}

/** Rule: no field of a `TaggedError` hides a property of `Error`. A `cause` of `Schema.Defect()` is that property. */
export function* errorFields(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    const found: Array<Finding> = []
    visit(file.syntax.body, (node) => {
      for (const { key, value } of fieldsOf(node)) {
        const name = String(key["name"] ?? key["value"])
        const hides = advice[name]
        if (hides === undefined || (name === "cause" && calledIn(value) === "Defect")) continue
        found.push(file.find(`no error field ${name}`, file.lineAt(key.start), hides))
      }
    })
    yield* found
  }
  return undefined
}

interface Field {
  readonly key: SyntaxNode
  readonly value: SyntaxNode
}

/** Fields of `TaggedError(id)(tag, { ... })`; none of any other node. */
const fieldsOf = (node: SyntaxNode): ReadonlyArray<Field> => {
  if (node.type !== "CallExpression" || calledIn(node["callee"] as SyntaxNode) !== "TaggedError") return []
  const fields = (node["arguments"] as ReadonlyArray<SyntaxNode>)[1]
  if (fields?.type !== "ObjectExpression") return []
  const properties = fields["properties"] as ReadonlyArray<SyntaxNode & Field>
  return properties.filter(({ type }) => type === "Property")
}

/** `TaggedError` of `Schema.TaggedError(id)`; undefined for what is no call. */
const calledIn = (node: SyntaxNode): string | undefined => {
  if (node.type !== "CallExpression") return undefined
  const callee = node["callee"] as SyntaxNode
  const last = callee.type === "MemberExpression" ? (callee["property"] as SyntaxNode) : callee
  return String(last["name"])
}
