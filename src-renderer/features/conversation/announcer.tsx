import { useEffect, useRef, useState } from 'react'
import type { Conversation } from '#shared/model/conversation.ts'
import { newsOf } from './news.ts'

/** Tells a screen reader what happened, a call or a whole answer at a time instead of word by word. */
export function Announcer({ conversation }: { readonly conversation: Conversation | null }) {
  const [text, setText] = useState('')
  const before = useRef<Conversation | null>(null)
  useEffect(() => {
    const words = conversation === null ? [] : newsOf(before.current, conversation)
    before.current = conversation
    if (words.length > 0) setText(words.join(' '))
  }, [conversation])
  return (
    <div className="sr" role="status">
      {text}
    </div>
  )
}
