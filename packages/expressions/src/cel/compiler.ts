/**
 * Turns the syntax tree of an expression into a function, and checks names and types on the way.
 *
 * The tree comes from cel-js. This module and `operators.ts` define its meaning, so that decimals, tables and lists
 * are first-class, every step is counted, and the answer depends on no engine's Unicode or calendar.
 */
import type { ASTNode } from "@marcbachmann/cel-js"
import * as Field from "../values/Field.ts"
import { Checker } from "./checker.ts"
import { answers, boolean, type CompiledPart, factsOf, float, integer, string, typed } from "./compiledPart.ts"
import { access, attempt, dynamicState, type Evaluate, type Loop, loops, truth } from "./evaluation.ts"
import * as Functions from "./functions.ts"
import * as Value from "./operators.ts"
import { isRaised, type Raised } from "./operators.ts"

/** Compiles a syntax tree, with one method for each kind of node. */
export class Compiler extends Checker {
  /** Parts whose fraction is cut off at once, so that their quotient needs no warning. */
  private readonly truncated = new Set<ASTNode>()

  /** Compiles a part whose value is read, so that it may not be sealed. */
  operand(node: ASTNode): CompiledPart {
    return this.open(this.compile(node), node)
  }

  private condition(node: ASTNode): CompiledPart {
    const part = this.operand(node)
    if (part.type !== undefined && part.type.type !== "bool" && part.type.type !== "json") {
      this.refuse(node, `a value that is ${part.type.type}`, "a condition that is true or false")
    }
    return part
  }

  /** Checks the type of the whole expression. */
  expect(node: ASTNode, part: CompiledPart, expected: "bool" | "string"): void {
    if (part.type === undefined || part.type.type === "json") return
    if (Field.kindOf(part.type) === (expected === "bool" ? "bool" : "text")) return
    this.refuse(
      node,
      `a value that is ${part.type.type}`,
      expected === "bool" ? "a condition that is true or false" : "text"
    )
  }

  compile(node: ASTNode): CompiledPart {
    switch (node.op) {
      case "value":
        return this.literal(node, node.args)
      case "id":
        return this.name(node, node.args)
      case ".":
        return this.field(node, node.args[0], node.args[1])
      case "[]":
        return this.index(node, node.args[0], node.args[1])
      case "call":
        return this.call(node, node.args[0], node.args[1])
      case "rcall":
        return this.method(node, node.args[0], node.args[1], node.args[2])
      case "list":
        return this.list(node.args)
      case "map":
        return this.map(node.args)
      case "?:":
        return this.ternary(...node.args)
      case "||":
      case "&&":
        return this.logical(node.op, ...node.args)
      case "!_":
        return this.not(node.args)
      case "-_":
        return this.minus(node.args)
      case "==":
      case "!=":
        return this.equality(node, ...node.args)
      case "<":
      case "<=":
      case ">":
      case ">=":
        return this.order(node, node.op, ...node.args)
      case "in":
        return this.membership(node, ...node.args)
      case "+":
      case "-":
      case "*":
      case "/":
      case "%":
        return this.arithmetic(node, node.op, ...node.args)
      default:
        return this.refuse(node, `the operator ${node.op}`, "an operator of the expression profile")
    }
  }

  private literal(node: ASTNode, value: unknown): CompiledPart {
    switch (typeof value) {
      case "bigint": {
        const number = Number(value)
        if (!Number.isSafeInteger(number))
          return this.refuse(node, String(value), "a whole number that is exact in JSON")
        return { run: () => number, type: integer, whole: true, literal: number }
      }
      case "number":
        return { run: () => value, type: float, literal: value }
      case "string":
        return { run: () => value, type: string, literal: value }
      case "boolean":
        return { run: () => value, type: boolean, literal: value }
      default:
        if (value === null) return { run: () => null, type: undefined, literal: null }
        return this.refuse(node, "a literal that JSON does not have", "text, a number, true, false or null")
    }
  }

  private name(node: ASTNode, name: string): CompiledPart {
    const local = this.locals.get(name)
    if (local !== undefined) return typed((frame) => frame.locals[local.slot], local.type, name)
    if (!Object.hasOwn(this.names, name)) return this.outOfScope(node, name)
    if (name === "state") {
      return this.refuse(node, "state as a whole", "a field of it, such as state.total", "write world or working")
    }
    this.reads.add(name)
    const shape = this.names[name]
    const run: Evaluate = (frame) => {
      const value = frame.bindings[name]
      return value === undefined ? Value.raise(`${name} has no value here`, node.start) : value
    }
    return typed(run, shape === "any" ? undefined : shape, name)
  }

  private field(node: ASTNode, target: ASTNode, key: string): CompiledPart {
    if (target.op === "id" && target.args === "state" && !this.locals.has("state")) return this.stateField(node, key)
    const before = new Set(this.reads)
    const whole = this.compile(target)
    const path = this.pathOf(node)
    if (path !== undefined) this.narrowReads(before, path)
    const facts = key === "facts" ? factsOf(whole) : undefined
    if (facts !== undefined) return { run: access(whole.run, key, node.start), type: facts }
    const part = this.open(whole, target)
    const type = this.fieldType(node, part.type, key, path)
    return typed(access(part.run, key, node.start), type, path?.join(".") ?? key)
  }

  private index(node: ASTNode, target: ASTNode, key: ASTNode): CompiledPart {
    const before = new Set(this.reads)
    const part = this.operand(target)
    const path = this.pathOf(node)
    if (path !== undefined) this.narrowReads(before, path)
    const at = this.operand(key)
    const type = part.type
    if (type?.type === "object" && typeof at.literal === "string") {
      return typed(access(part.run, at.literal, node.start), this.fieldType(node, type, at.literal, path), at.literal)
    }
    if (type !== undefined && !["object", "table", "list", "json"].includes(type.type)) {
      this.refuse(node, `a value that is ${type.type}`, "a list, a table or an object before [ ]")
    }
    const inner = type?.type === "table" ? type.row : type?.type === "list" ? type.item : undefined
    const run: Evaluate = (frame) => {
      const index = at.run(frame)
      const value = Value.lookup(part.run(frame), index, node.start)
      return value === undefined ? Value.raise(`there is nothing at ${Value.nameOf(index)}`, node.start) : value
    }
    return typed(run, inner, "an entry")
  }

  /** `state.x` is `working.x` or `world.x`, depending on which of them the pack declares. */
  private stateField(node: ASTNode, key: string): CompiledPart {
    if (!Object.hasOwn(this.names, "state")) return this.outOfScope(node, "state")
    const sections = (["world", "working"] as const).filter((section) => {
      const shape = this.names[section]
      return typeof shape === "object" && shape.type === "object" && Object.hasOwn(shape.fields, key)
    })
    if (sections.length > 1) {
      return this.refuse(node, `state.${key}, which both sections declare`, `world.${key} or working.${key}`)
    }
    const section = sections[0]
    if (section !== undefined) {
      const shape = this.names[section] as Field.Field & { readonly type: "object" }
      this.reads.add(`${section}.${key}`)
      const root: Evaluate = (frame) => frame.bindings[section] ?? frame.bindings["state"]
      return typed(access(root, key, node.start), shape.fields[key], `state.${key}`)
    }
    if (typeof this.names["world"] === "object" && typeof this.names["working"] === "object") {
      return this.refuse(node, `state.${key}`, `a field that the pack declares: ${this.declared().join(", ")}`)
    }
    this.reads.add(`state.${key}`)
    return { run: dynamicState(key, node.start), type: undefined }
  }

  private call(node: ASTNode, name: string, args: ReadonlyArray<ASTNode>): CompiledPart {
    if (name === "has") return this.has(node, args[0])
    return this.invoke(node, name, args, Functions.functions)
  }

  private method(node: ASTNode, name: string, receiver: ASTNode, args: ReadonlyArray<ASTNode>): CompiledPart {
    if (Object.hasOwn(loops, name)) return this.comprehension(node, name, receiver, args)
    return this.invoke(node, name, [receiver, ...args], Functions.methods)
  }

  private invoke(
    node: ASTNode,
    name: string,
    args: ReadonlyArray<ASTNode>,
    known: Readonly<Record<string, Functions.CelFunction>>
  ): CompiledPart {
    const definition = Object.hasOwn(known, name) ? known[name] : undefined
    if (definition === undefined) {
      const hint = Object.hasOwn(Functions.refused, name) ? Functions.refused[name] : undefined
      const reason = hint ?? (Functions.isCalendar(name) ? Functions.refused["timestamp"] : undefined)
      return this.refuse(
        node,
        `the function ${name}`,
        `a function of the profile: ${Object.keys(known).join(", ")}`,
        reason
      )
    }
    if (!definition.arity.includes(args.length)) {
      return this.refuse(node, `${args.length} values for ${name}`, definition.arity.join(" or "))
    }
    if (name === "int") for (const arg of args) this.truncated.add(arg)
    const parts = args.map((arg) => this.operand(arg))
    const runs = parts.map((part) => part.run)
    const { run } = definition
    return {
      run: (frame) =>
        run(
          runs.map((each) => each(frame)),
          frame,
          node.start
        ),
      ...answers(definition.answer)
    }
  }

  private has(node: ASTNode, arg: ASTNode | undefined): CompiledPart {
    if (arg === undefined || arg.op !== ".") return this.refuse(node, "has of no field", "has(a.b)")
    const [target, key] = arg.args
    // Compiled as an access, for its names and reads, but evaluated as a look-up that may find nothing.
    const present = this.compile(arg)
    if (target.op === "id" && target.args === "state") {
      return { run: (frame) => attempt(present.run, frame) !== undefined, type: boolean }
    }
    const reads = new Set(this.reads)
    const owner = this.compile(target)
    for (const read of [...this.reads]) if (!reads.has(read)) this.reads.delete(read)
    return { run: (frame) => Value.lookup(owner.run(frame), key, node.start) !== undefined, type: boolean }
  }

  private comprehension(node: ASTNode, name: string, receiver: ASTNode, args: ReadonlyArray<ASTNode>): CompiledPart {
    const source = this.operand(receiver)
    const variable = args[0]
    const arity = name === "map" ? [2, 3] : [2]
    if (variable?.op !== "id" || !arity.includes(args.length)) {
      return this.refuse(node, `${name} with ${args.length} values`, `${name}(name, expression)`)
    }
    const type = source.type
    if (type !== undefined && !["object", "table", "list", "json"].includes(type.type)) {
      this.refuse(receiver, `a value that is ${type.type}`, "a list, a table or an object to run over")
    }
    const item =
      type?.type === "list" ? type.item : type?.type === "table" || type?.type === "object" ? string : undefined
    const slot = this.slots++
    const outer = this.locals
    this.locals = new Map([...outer, [variable.args, { slot, type: item }]])
    const second = args[1] as ASTNode
    const third = args[2]
    const predicate = name === "map" && third === undefined ? undefined : this.condition(second)
    const transform = name === "map" ? this.compile(third ?? second) : undefined
    this.locals = outer
    const loop = loops[name] as Loop
    const field: Field.Field | undefined =
      name === "filter" ? (type?.type === "list" ? type : undefined) : name === "map" ? undefined : boolean
    return {
      run: (frame) =>
        loop(Value.range(source.run(frame), receiver.start), slot, predicate?.run, transform?.run, frame, node.start),
      type: field
    }
  }

  private list(items: ReadonlyArray<ASTNode>): CompiledPart {
    const runs = items.map((item) => this.compile(item).run)
    return { run: (frame) => runs.map((run) => run(frame)), type: { type: "list", item: { type: "json" } } }
  }

  private map(entries: ReadonlyArray<readonly [ASTNode, ASTNode]>): CompiledPart {
    const parts = entries.map(([key, value]) => ({ key: this.operand(key), at: key.start, value: this.compile(value) }))
    return {
      run: (frame) => {
        const built: Array<[string, unknown]> = []
        for (const { at, key, value } of parts) {
          const name = key.run(frame)
          if (typeof name !== "string") return Value.raise(`a key has to be a string, and is ${Value.nameOf(name)}`, at)
          built.push([name, value.run(frame)])
        }
        return Object.fromEntries(built)
      },
      type: undefined
    }
  }

  private ternary(condition: ASTNode, yes: ASTNode, no: ASTNode): CompiledPart {
    const test = this.condition(condition)
    const left = this.compile(yes)
    const right = this.compile(no)
    const type = left.type?.type === right.type?.type ? left.type : undefined
    const sealed = left.sealed ?? right.sealed
    return {
      run: (frame) => (truth(test.run(frame), condition.start) ? left.run(frame) : right.run(frame)),
      type,
      ...(sealed === undefined ? {} : { sealed })
    }
  }

  private logical(operator: "||" | "&&", leftNode: ASTNode, rightNode: ASTNode): CompiledPart {
    const left = this.condition(leftNode).run
    const right = this.condition(rightNode).run
    const decisive = operator === "||"
    const run: Evaluate = (frame) => {
      let first: unknown
      let failure: Raised | undefined
      try {
        first = truth(left(frame), leftNode.start)
        if (first === decisive) return decisive
      } catch (error) {
        if (!isRaised(error) || error.fatal) throw error
        failure = error
      }
      const second = truth(right(frame), rightNode.start)
      if (failure !== undefined && second !== decisive) throw failure
      return second
    }
    return { run, type: boolean }
  }

  private not(node: ASTNode): CompiledPart {
    const part = this.condition(node)
    return { run: (frame) => !truth(part.run(frame), node.start), type: boolean }
  }

  private minus(node: ASTNode): CompiledPart {
    const part = this.operand(node)
    if (part.type !== undefined && part.type.type !== "json" && !Field.isNumeric(part.type)) {
      this.refuse(node, `a value that is ${part.type.type}`, "a number after -")
    }
    const whole = part.whole === true ? { whole: true } : {}
    const literal = typeof part.literal === "number" ? { literal: -part.literal } : {}
    return { run: (frame) => Value.negate(part.run(frame), node.start), type: part.type, ...whole, ...literal }
  }

  private equality(node: ASTNode, leftNode: ASTNode, rightNode: ASTNode): CompiledPart {
    const left = this.compile(leftNode)
    const right = this.compile(rightNode)
    this.alike(node, left, right)
    this.comparable(node, left, right)
    this.different(node, leftNode, rightNode)
    this.possible(rightNode, left, right)
    this.possible(leftNode, right, left)
    this.aligned(rightNode, left, right)
    this.aligned(leftNode, right, left)
    const a = left.run
    const b = right.run
    const { start } = node
    return node.op === "=="
      ? { run: (frame) => Value.equal(a(frame), b(frame), frame, start), type: boolean }
      : { run: (frame) => !Value.equal(a(frame), b(frame), frame, start), type: boolean }
  }

  private order(node: ASTNode, operator: "<" | "<=" | ">" | ">=", leftNode: ASTNode, rightNode: ASTNode): CompiledPart {
    const left = this.operand(leftNode)
    const right = this.operand(rightNode)
    this.comparable(node, left, right)
    this.different(node, leftNode, rightNode)
    this.aligned(rightNode, left, right)
    this.aligned(leftNode, right, left)
    const a = left.run
    const b = right.run
    const { start } = node
    const run: Evaluate =
      operator === "<"
        ? (frame) => Value.compare(a(frame), b(frame), frame, start) < 0
        : operator === "<="
          ? (frame) => Value.compare(a(frame), b(frame), frame, start) <= 0
          : operator === ">"
            ? (frame) => Value.compare(a(frame), b(frame), frame, start) > 0
            : (frame) => Value.compare(a(frame), b(frame), frame, start) >= 0
    return { run, type: boolean }
  }

  private membership(node: ASTNode, item: ASTNode, container: ASTNode): CompiledPart {
    const left = this.compile(item)
    const right = this.operand(container)
    if (right.type !== undefined && !["list", "table", "object", "json"].includes(right.type.type)) {
      this.refuse(container, `a value that is ${right.type.type}`, "a list, a table or an object after in")
    }
    const { start } = node
    return { run: (frame) => Value.contains(left.run(frame), right.run(frame), frame, start), type: boolean }
  }

  private arithmetic(
    node: ASTNode,
    operator: "+" | "-" | "*" | "/" | "%",
    leftNode: ASTNode,
    rightNode: ASTNode
  ): CompiledPart {
    const left = this.operand(leftNode)
    const right = this.operand(rightNode)
    const areWhole = left.whole === true && right.whole === true
    const isQuotient = operator === "/"
    if (isQuotient && areWhole && !this.truncated.has(node)) this.fractional(node)
    const type = this.result(node, operator, left.type, right.type, isQuotient)
    const whole = areWhole && !isQuotient
    const run = Value.operators[operator]
    const a = left.run
    const b = right.run
    const { start } = node
    return { run: (frame) => run(a(frame), b(frame), frame, start), type, ...(whole ? { whole } : {}) }
  }
}
