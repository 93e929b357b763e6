import { useEffect, useEffectEvent, useState } from 'react'
import { parseExact } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { formatJson } from '../../../ui/format-json.ts'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import type { ControlProps } from './control-props.ts'

/** A value as JSON: of several shapes, of any, or nested deeply. */
export function JsonControl({ label, path, value, required, describedBy, onChange, form }: ControlProps) {
  const [typed, setTyped] = useState(() => textOf(value))
  const isBroken = typed.trim() !== '' && parseJson(typed) === undefined
  const report = useEffectEvent(form.onBroken)
  useEffect(() => {
    if (!isBroken) return
    report(path, true)
    return () => report(path, false)
  }, [isBroken, path])
  // What is set elsewhere replaces the text, unless it says the same.
  const isCurrent = isBroken || JSON.stringify(read(typed)) === JSON.stringify(value)
  return (
    <JsonEditor
      label={required ? `${label}, required` : label}
      value={isCurrent ? typed : textOf(value)}
      onChange={text => {
        setTyped(text)
        if (text.trim() === '' || parseJson(text) !== undefined) onChange(read(text))
      }}
      minLines={2}
      maxLines={14}
      foot={false}
      describedBy={describedBy}
    />
  )
}

const read = (text: string) => (text.trim() === '' ? undefined : parseExact(text))
const textOf = (value: unknown) => (value === undefined ? '' : formatJson(JSON.stringify(value)))
