/// The data of `DiallingCodes`: a country, then its prefixes.
enum DiallingTable {
  /// Country codes that belong to one country, or to the main country of those that share it.
  static let codes = """
    US 1
    RU 7
    EG 20
    SS 211
    MA 212
    DZ 213
    TN 216
    LY 218
    GM 220
    SN 221
    MR 222
    ML 223
    GN 224
    CI 225
    BF 226
    NE 227
    TG 228
    BJ 229
    MU 230
    LR 231
    SL 232
    GH 233
    NG 234
    TD 235
    CF 236
    CM 237
    CV 238
    ST 239
    GQ 240
    GA 241
    CG 242
    CD 243
    AO 244
    GW 245
    IO 246
    SC 248
    SD 249
    RW 250
    ET 251
    SO 252
    DJ 253
    KE 254
    TZ 255
    UG 256
    BI 257
    MZ 258
    ZM 260
    MG 261
    RE 262
    ZW 263
    NA 264
    MW 265
    LS 266
    BW 267
    SZ 268
    KM 269
    ZA 27
    SH 290
    ER 291
    AW 297
    FO 298
    GL 299
    GR 30
    NL 31
    BE 32
    FR 33
    ES 34
    GI 350
    PT 351
    LU 352
    IE 353
    IS 354
    AL 355
    MT 356
    CY 357
    FI 358
    BG 359
    HU 36
    LT 370
    LV 371
    EE 372
    MD 373
    AM 374
    BY 375
    AD 376
    MC 377
    SM 378
    UA 380
    RS 381
    ME 382
    XK 383
    HR 385
    SI 386
    BA 387
    MK 389
    IT 39
    RO 40
    CH 41
    CZ 420
    SK 421
    LI 423
    AT 43
    GB 44
    DK 45
    SE 46
    NO 47
    PL 48
    DE 49
    FK 500
    BZ 501
    GT 502
    SV 503
    HN 504
    NI 505
    CR 506
    PA 507
    PM 508
    HT 509
    PE 51
    MX 52
    CU 53
    AR 54
    BR 55
    CL 56
    CO 57
    VE 58
    GP 590
    BO 591
    GY 592
    EC 593
    GF 594
    PY 595
    MQ 596
    SR 597
    UY 598
    CW 599
    MY 60
    AU 61
    ID 62
    PH 63
    NZ 64
    SG 65
    TH 66
    TL 670
    NF 672
    BN 673
    NR 674
    PG 675
    TO 676
    SB 677
    VU 678
    FJ 679
    PW 680
    WF 681
    CK 682
    NU 683
    WS 685
    KI 686
    NC 687
    TV 688
    PF 689
    TK 690
    FM 691
    MH 692
    JP 81
    KR 82
    VN 84
    KP 850
    HK 852
    MO 853
    KH 855
    LA 856
    CN 86
    BD 880
    TW 886
    TR 90
    IN 91
    PK 92
    AF 93
    LK 94
    MM 95
    MV 960
    LB 961
    JO 962
    SY 963
    IQ 964
    KW 965
    SA 966
    YE 967
    OM 968
    PS 970
    AE 971
    IL 972
    BH 973
    QA 974
    BT 975
    MN 976
    NP 977
    IR 98
    TJ 992
    TM 993
    AZ 994
    GE 995
    KG 996
    UZ 998

    """

  /// Prefixes inside a shared code that belong to another country than its main one.
  static let shared = """
    CA 1204 1226 1236 1249 1250 1257 1263 1289 1306 1343 1354 1365 1367 1368 1382 1387 1403 1416 1418 1428 1431 1437
    CA 1438 1450 1460 1468 1474 1506 1514 1519 1537 1548 1568 1579 1581 1584 1587 1604 1613 1639 1647 1672 1683 1705
    CA 1709 1742 1753 1778 1780 1782 1807 1819 1825 1867 1873 1879 1902 1905 1942
    BS 1242
    BB 1246
    AI 1264
    AG 1268
    VG 1284
    VI 1340
    KY 1345
    BM 1441
    GD 1473
    TC 1649
    JM 1658 1876
    MS 1664
    MP 1670
    GU 1671
    AS 1684
    SX 1721
    LC 1758
    DM 1767
    VC 1784
    PR 1787 1939
    DO 1809 1829 1849
    TT 1868
    KN 1869
    KZ 76 77
    GG 441481 447781 447839 447911
    JE 441534 447509 4477003 447797 447829 447937
    IM 441624 447524 447624 447924
    EH 2125288 2125289
    YT 262269 262639
    AX 35818
    SJ 4779
    VA 3906698
    BL 590870
    BQ 5993 5994 5997
    CX 6189164
    CC 6189162
    AQ 6721

    """
}
