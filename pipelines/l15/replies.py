"""Words that carry a task on, and words that start another, in several languages."""

from __future__ import annotations

import re

_GO_ON = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yep|yeah|sure|great|good|nice|perfect|cool|thanks|thank you|no|nope|right|alright|hmm+|ah|"
    r"please|and|now|just|wait|pause|stop)[\s,.!]{1,4}){0,4}"
    r"(?:continue|pause|wait|stop|yes to all|both|all of (?:it|them)|please|go on|go ahead|proceed|"
    r"carry on|keep going|resume|do it|do that|do so|try again|retry|again|next|"
    r"next step|finish|finish it|commit(?: this| it)?|push(?: it)?|ship it|lgtm|looks good|sounds good|yes|y|ok|okay|"
    r"yep|yeah|sure|no|nope|great|thanks|thank you|perfect|"
    r"weiter|mach weiter|ja|nein|genau|sí|si|sigue|continúa|continua|adelante|oui|non|vas-y|prossiga|sim|não|"
    r"да|нет|продолжай|дальше|"
    r"继续|繼續|接着|好的?|是的?|对|對|可以|不|不是|不对|行|嗯|下一步|再试一次|重试|開始|开始吧|请继续|請繼續|没问题|"
    r"続けて(?:ください)?|続き|はい|いいえ|お願いします|次|進めて(?:ください)?|もう一度|了解|"
    r"계속(?:해(?:줘|주세요)?)?|네|예|아니요?|응|좋아요?|다음)[\s.!?。！？~、,，]*",
    re.IGNORECASE,
)
_FEEDBACK = re.compile(
    r"(?:(?:no|nope|hmm+|ugh|ok(?:ay)?|yes|wait|actually|also|still|but|and|so|why|it|that|this|that's|it's|these|"
    r"those|you|your|instead|is (?:it|that|this)|are (?:you|they|these|those)|do (?:we|you)|did (?:we|you)|"
    r"should (?:we|it|this)|can (?:we|you also)|could (?:we|you also))\b"
    r"|不要|不对|还是|为什么|這|这|那|它|改成|再|也|まだ|それ|これ|なぜ|やっぱり|그|이|왜|아직)",
    re.IGNORECASE,
)
_START = re.compile(
    r"\b(?:new task|next task|another task|different task|separate task|unrelated(?:ly)?|something else|"
    r"switch(?:ing)? (?:to|over)|moving on|forget (?:that|about))\b"
    r"|新任务|新任務|另一个任务|另一個任務|换一个|換一個|别的(?:任务|事)"
    r"|別のタスク|新しいタスク|次のタスク|다른 작업|새 작업|새로운 작업",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(
    r"\b(?:still|again|you (?:broke|missed|forgot|removed|didn't|did not)|undo|revert that|doesn't work|does not work"
    r"|not working|didn't work|isn't right|is wrong|crashe[sd]|we (?:just )?(?:added|changed|made|fixed))\b"
    r"|还是不|不行|没用|错了|まだ|動かない|壊れ|여전히|안 돼|안돼",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:\d{1,2}[.)]|[-*•]) ")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BRIEF = 200


def extent(text: str) -> int:
    """Return how much a text says, in Latin characters: one CJK character counts as three."""
    return len(text) + 2 * len(_CJK.findall(text[:_BRIEF]))


def agrees(text: str) -> bool:
    """Say whether a prompt says nothing but yes, no, or go on."""
    return bool(_GO_ON.fullmatch(text.strip()[:_BRIEF]))


def carries_on(text: str) -> bool:
    """Say whether a prompt only agrees, corrects, asks to go on, or picks an item of a list."""
    short = text.strip()[:_BRIEF]
    if agrees(text):
        return True
    if starts_over(text):
        return False
    return bool(_ITEM.match(short)) or (extent(text) <= _BRIEF // 2 and bool(_FEEDBACK.match(short)))


def complains(text: str) -> bool:
    """Say whether a prompt says that something is still not right, which only what was just made can be."""
    return bool(_COMPLAINT.search(text[:400])) and not starts_over(text)


def starts_over(text: str) -> bool:
    """Say whether a prompt names a new task in so many words."""
    return bool(_START.search(text[:400]))
