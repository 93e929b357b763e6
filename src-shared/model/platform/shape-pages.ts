const actions = {
  path: '/agent/actions',
  title: 'Actions',
  also: 'keywords forms text responses variables SMS STOP HELP MENU',
} as const

/** The pages of the dashboard that edit the shapes, by their names. `also` are other words that find them. */
export const shapePages = {
  widget: { path: '/agent/widget', title: 'Widget', also: 'chat bubble colours contrast corner logo' },
  voice: {
    path: '/agent/voice',
    title: 'Voice',
    also: 'call phone silence interruption response rate accent',
  },
  crawler: { path: '/agent/crawler', title: 'Crawler', also: 'website pages patterns sitemap URLs' },
  calendar: {
    path: '/agent/calendar',
    title: 'Calendar',
    also: 'working hours appointments slots booking',
  },
  language: {
    path: '/agent/languages',
    title: 'Languages',
    also: 'translations texts greeting primary secondary',
  },
  'conversation-actions': actions,
  'text-responses': actions,
  'sms-keywords': actions,
} as const
