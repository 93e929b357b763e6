import { parseSync } from 'vite'
import { z } from 'zod'

const Text = z.object({ type: z.literal('Literal'), value: z.string() })
/** Nodes that name another module: declarations, `import()`, and calls of `require` under any name of the bundler. */
const Asking = z.union([
  z.object({
    type: z.enum(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression']),
    source: z.object({ start: z.int(), end: z.int() }).loose(),
  }),
  z
    .object({
      type: z.literal('CallExpression'),
      callee: z.object({ type: z.literal('Identifier'), name: z.string().regex(/^_*require(\$\d+)?$/) }),
      arguments: z.tuple([z.object({ start: z.int(), end: z.int() }).loose()]),
    })
    .transform(({ arguments: [source] }) => ({ source })),
])

/**
 * Returns every specifier that a JavaScript file imports, according to its syntax tree and not to comments or texts.
 * For one that is computed, returns the expression in angle brackets.
 *
 * @param name says by its ending what is in the file. @throws Error when it cannot be parsed.
 */
export function importsOf(name: string, text: string): Set<string> {
  const { program, errors } = parseSync(name, text)
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0]?.message}`)
  const specifiers = new Set<string>()
  const nodes: unknown[] = [program]
  while (nodes.length > 0) {
    const node = nodes.pop()
    if (typeof node !== 'object' || node === null) continue
    if ('source' in node || 'callee' in node) {
      const { success, data } = Asking.safeParse(node)
      if (success) specifiers.add(specifierOf(data.source, text))
    }
    nodes.push(...Object.values(node))
  }
  return specifiers
}

function specifierOf(source: { start: number; end: number }, text: string): string {
  const literal = Text.safeParse(source)
  return literal.success ? literal.data.value : `<${text.slice(source.start, source.end)}>`
}
