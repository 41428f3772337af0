import DefaultTheme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import LiveCall from './LiveCall.vue';
import Playground from './Playground.vue';
// oxlint-disable-next-line import/no-unassigned-import -- styles
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('LiveCall', LiveCall);
    app.component('Playground', Playground);
  },
} satisfies Theme;
